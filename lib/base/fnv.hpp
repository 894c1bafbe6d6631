#pragma once

#include <cstdint>
#include <string_view>

namespace gpucheck {

/// FNV-1a, 64 bits: tells texts apart, and keeps no secret. What follows a text is added to its value.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t value = 0xcbf29ce484222325U) noexcept {
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

}  // namespace gpucheck
