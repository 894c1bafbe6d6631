#include "telemetry/machine.hpp"

#include <algorithm>
#include <cctype>

namespace gpucheck::telemetry {
namespace {

bool is_text(const Value& value, std::string_view expected) {
  const std::string* const seen = text(value);
  return seen != nullptr && !expected.empty() && *seen == expected;
}

template <typename Kind>
std::optional<Kind> value_of(const Value& value) noexcept {
  const auto* const held = std::get_if<Kind>(&value);
  return held == nullptr ? std::nullopt : std::optional(*held);
}

}  // namespace

std::string normal_pci_address(std::string_view address) {
  std::string normal(address);
  std::ranges::transform(normal, normal.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // NVML writes domains with eight digits, Linux and CUDA with four.
  constexpr std::size_t digits = 4;
  const std::size_t colon = normal.find(':');
  const bool has_long_domain = colon != std::string::npos && colon > digits;
  if (has_long_domain && normal.find_first_not_of('0') >= colon - digits) normal.erase(0, colon - digits);
  return normal;
}

bool is_gpu(const Gpu& gpu, const GpuId& id) {
  if (is_text(gpu[Reading::uuid], id.uuid)) return true;
  const std::string* const address = text(gpu[Reading::pci_address]);
  return address != nullptr && !id.pci_address.empty() &&
         normal_pci_address(*address) == normal_pci_address(id.pci_address);
}

const Gpu* find_gpu(const Machine& machine, const GpuId& id) {
  const auto found = std::ranges::find_if(machine.gpus, [&id](const Gpu& gpu) { return is_gpu(gpu, id); });
  return found == machine.gpus.end() ? nullptr : &*found;
}

std::optional<std::int64_t> number(const Value& value) noexcept { return value_of<std::int64_t>(value); }
std::optional<bool> flag(const Value& value) noexcept { return value_of<bool>(value); }
const std::string* text(const Value& value) noexcept { return std::get_if<std::string>(&value); }
bool is_failure(const Value& value) noexcept {
  const auto* const held = std::get_if<Unavailable>(&value);
  return held != nullptr && held->is_failure;
}
const std::string* problem(const Value& value) noexcept {
  const auto* const held = std::get_if<Unavailable>(&value);
  return held == nullptr ? nullptr : &held->reason;
}

}  // namespace gpucheck::telemetry
