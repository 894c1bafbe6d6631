#pragma once

#include <cstdint>

namespace gpucheck {

/// SplitMix64's output function (Steele, Lea and Flood, 2014): spreads a counter over
/// 64 bits. Integer arithmetic alone, so that a seed means the same on every machine.
constexpr std::uint64_t splitmix(std::uint64_t counter) noexcept {
  std::uint64_t z = counter + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

}  // namespace gpucheck
