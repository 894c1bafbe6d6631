#pragma once

#include <cstdint>

#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// `splitmix` of base/splitmix.hpp, for kernels: spreads a counter over 64 bits, the same on host
/// and GPU.
GPUCHECK_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t counter) {
  std::uint64_t z = counter + 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

}  // namespace gpucheck::device::kernels
