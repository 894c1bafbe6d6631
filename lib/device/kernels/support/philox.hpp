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

/// Where a kernel's random numbers begin, as PyTorch's `PhiloxCudaState` says it: the seed and
/// the offset themselves, or for a kernel in a graph where they stand in device memory when
/// the graph is replayed. Offsets count 32-bit numbers of each sequence.
struct PhiloxStart {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;  ///< in a graph: what is added to `*offset_at`
  const std::int64_t* seed_at = nullptr;
  const std::int64_t* offset_at = nullptr;

  [[nodiscard]] GPUCHECK_HOST_DEVICE std::uint64_t key() const {
    return seed_at == nullptr ? seed : static_cast<std::uint64_t>(*seed_at);
  }
  /// In groups of four numbers: offsets are multiples of 4.
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::uint64_t position() const {
    return (offset_at == nullptr ? offset : offset + static_cast<std::uint64_t>(*offset_at)) / 4;
  }
  /// What a kernel that asks for them reads.
  [[nodiscard]] MemoryAccess seed_access() const { return reads(seed_at, seed_at == nullptr ? 0 : sizeof(*seed_at)); }
  [[nodiscard]] MemoryAccess offset_access() const {
    return reads(offset_at, offset_at == nullptr ? 0 : sizeof(*offset_at));
  }
};

/// Uniform in (0, 1].
GPUCHECK_HOST_DEVICE inline double to_uniform(std::uint32_t word) {
  return static_cast<double>(word) * 0x1p-32 + 0x1p-32;
}

}  // namespace gpucheck::device::kernels
