#pragma once

#include <cstdint>

namespace gpucheck {

/// The smallest multiple of `multiple` (not 0) that is at least `value`. The sum of both
/// must fit 64 bits.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) noexcept {
  return (value + multiple - 1) / multiple * multiple;
}

/// How many parts of `part` (not 0) cover `whole`. The sum of both must fit 64 bits.
constexpr std::uint64_t divide_up(std::uint64_t whole, std::uint64_t part) noexcept {
  return (whole + part - 1) / part;
}

}  // namespace gpucheck
