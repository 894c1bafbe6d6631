#pragma once

#include <cstdint>

#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// Four 32-bit numbers of a Philox sequence.
struct PhiloxWords {
  std::uint32_t word[4];
};

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011):
/// the `position`-th four numbers of one of 2^64 independent sequences of a seed.
GPUCHECK_HOST_DEVICE inline PhiloxWords philox(std::uint64_t seed, std::uint64_t sequence, std::uint64_t position) {
  std::uint32_t c0 = static_cast<std::uint32_t>(position);
  std::uint32_t c1 = static_cast<std::uint32_t>(position >> 32U);
  std::uint32_t c2 = static_cast<std::uint32_t>(sequence);
  std::uint32_t c3 = static_cast<std::uint32_t>(sequence >> 32U);
  std::uint32_t k0 = static_cast<std::uint32_t>(seed);
  std::uint32_t k1 = static_cast<std::uint32_t>(seed >> 32U);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53U} * c0;
    const std::uint64_t q = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(q >> 32U) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(q);
    c2 = static_cast<std::uint32_t>(p >> 32U) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p);
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  return {{c0, c1, c2, c3}};
}

/// Uniform in (0, 1].
GPUCHECK_HOST_DEVICE inline double to_uniform(std::uint32_t word) {
  return static_cast<double>(word) * 0x1p-32 + 0x1p-32;
}

}  // namespace gpucheck::device::kernels
