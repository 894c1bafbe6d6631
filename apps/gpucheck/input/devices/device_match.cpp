#include "input/devices/device_match.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/error.hpp"

namespace gpucheck::application {

namespace {

using device::DeviceProperties;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_uuid(std::string_view text) {
  const std::string name = lower(text);
  const bool has_prefix = name.starts_with("gpu-") || name.starts_with("mig-");
  return has_prefix && name.size() > 4 && name.find_first_not_of("0123456789abcdef-", 4) == std::string::npos;
}

struct PciAddress {
  std::optional<unsigned> domain;
  unsigned bus = 0;
  unsigned device = 0;
};

std::optional<unsigned> parse_hex(std::string_view digits) {
  unsigned number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const bool whole = problem == std::errc{} && end == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

/// A GPU's functions are one GPU: which of them is named does not matter.
std::optional<PciAddress> parse_pci(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot != std::string_view::npos && !parse_hex(text.substr(dot + 1))) return {};
  text = text.substr(0, dot);
  std::vector<unsigned> parts;
  while (true) {
    const std::size_t colon = text.find(':');
    const std::optional<unsigned> part = parse_hex(text.substr(0, colon));
    if (!part) return {};
    parts.push_back(*part);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (parts.size() == 2) return PciAddress{.domain = {}, .bus = parts[0], .device = parts[1]};
  if (parts.size() == 3) return PciAddress{.domain = parts[0], .bus = parts[1], .device = parts[2]};
  return {};
}

bool is_meant(std::string_view identifier, const DeviceProperties& device) {
  if (is_uuid(identifier)) return lower(device.uuid).starts_with(lower(identifier));
  const std::optional<PciAddress> wanted = parse_pci(identifier);
  const std::optional<PciAddress> found = parse_pci(device.pci_bus_id);
  return wanted && found && wanted->bus == found->bus && wanted->device == found->device &&
         (!wanted->domain || wanted->domain == found->domain);
}

std::string list_of(std::span<const DeviceProperties> devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    text += fmt::format("{}cuda:{}, {}, {} ({})", i == 0 ? "" : "; ", i, devices[i].uuid, devices[i].pci_bus_id,
                        devices[i].name);
  }
  return text;
}

}  // namespace

bool is_device_identifier(std::string_view text) { return is_uuid(text) || parse_pci(text).has_value(); }

std::vector<int> match_devices(std::span<const std::string> identifiers, std::span<const DeviceProperties> devices) {
  std::vector<int> matched;
  for (const std::string& identifier : identifiers) {
    std::vector<int> meant;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (is_meant(identifier, devices[i])) meant.push_back(static_cast<int>(i));
    }
    if (meant.size() != 1) {
      throw UsageError(fmt::format("{} \"{}\"; there are: {}",
                                   meant.empty() ? "there is no device" : "more than one device can be meant by",
                                   identifier, list_of(devices)));
    }
    if (std::ranges::find(matched, meant.front()) != matched.end()) {
      throw UsageError(fmt::format("\"{}\" names a device that is named before", identifier));
    }
    matched.push_back(meant.front());
  }
  return matched;
}

}  // namespace gpucheck::application
