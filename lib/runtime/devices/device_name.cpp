#include "runtime/devices/device_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::runtime {
namespace {

/// In the order in which PyTorch lists them.
constexpr std::array<std::string_view, 20> known_types{
    "cpu",  "cuda", "ipu", "xpu",  "mkldnn", "opengl", "opencl", "ideep", "hip",  "ve",
    "fpga", "maia", "xla", "lazy", "vulkan", "mps",    "meta",   "hpu",   "mtia", "privateuseone"};

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A number without leading zeros.
bool is_index(std::string_view text) noexcept {
  return std::ranges::all_of(text, is_digit) && !text.empty() && (text == "0" || text.front() != '0');
}

int to_index(std::string_view digits, std::string_view text) {
  int value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{}) {
    throw Error(fmt::format("Could not parse device index '{}' in device string '{}'", digits, text));
  }
  // PyTorch keeps it in eight bits.
  return static_cast<std::int8_t>(value);
}

}  // namespace

DeviceName parse_device_name(std::string_view text) {
  if (text.empty()) throw Error("Device string must not be empty");
  const std::size_t colon = text.find(':');
  const std::string_view type = text.substr(0, colon);
  const bool has_index = colon != std::string_view::npos;
  const std::string_view digits = has_index ? text.substr(colon + 1) : std::string_view{};
  if (type.empty() || !std::ranges::all_of(type, is_letter) || (has_index && !is_index(digits))) {
    throw Error(fmt::format("Invalid device string: '{}'", text));
  }
  DeviceName name{.type = std::string(type), .index = std::nullopt};
  if (has_index) name.index = to_index(digits, text);
  if (std::ranges::find(known_types, type) == known_types.end()) {
    throw Error(fmt::format("Expected one of {} device type at start of device string: {}",
                            fmt::join(known_types, ", "), type));
  }
  return name;
}

std::string to_text(const DeviceName& name) {
  return name.index ? fmt::format("{}:{}", name.type, *name.index) : name.type;
}

}  // namespace gpucheck::runtime
