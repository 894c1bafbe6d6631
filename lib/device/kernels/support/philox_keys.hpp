#pragma once

#include <cstdint>

#include "device/kernels/support/philox.hpp"

namespace gpucheck::device::kernels {

/// A seed as the ten rounds of Philox use it: worked out once for many numbers.
struct PhiloxKeys {
  static constexpr unsigned rounds = 10;
  std::uint32_t low[rounds];
  std::uint32_t high[rounds];
  GPUCHECK_HOST_DEVICE explicit PhiloxKeys(std::uint64_t seed) {
    for (unsigned round = 0; round < rounds; ++round) {
      low[round] = static_cast<std::uint32_t>(seed) + round * 0x9E3779B9U;
      high[round] = static_cast<std::uint32_t>(seed >> 32U) + round * 0xBB67AE85U;
    }
  }
};

/// What `philox` gives for the seed.
GPUCHECK_HOST_DEVICE inline PhiloxWords philox(const PhiloxKeys& keys, std::uint64_t sequence, std::uint64_t position) {
  std::uint32_t c0 = static_cast<std::uint32_t>(position);
  std::uint32_t c1 = static_cast<std::uint32_t>(position >> 32U);
  std::uint32_t c2 = static_cast<std::uint32_t>(sequence);
  std::uint32_t c3 = static_cast<std::uint32_t>(sequence >> 32U);
  for (unsigned round = 0; round < PhiloxKeys::rounds; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53U} * c0;
    const std::uint64_t q = std::uint64_t{0xCD9E8D57U} * c2;
    c0 = static_cast<std::uint32_t>(q >> 32U) ^ c1 ^ keys.low[round];
    c1 = static_cast<std::uint32_t>(q);
    c2 = static_cast<std::uint32_t>(p >> 32U) ^ c3 ^ keys.high[round];
    c3 = static_cast<std::uint32_t>(p);
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace gpucheck::device::kernels
