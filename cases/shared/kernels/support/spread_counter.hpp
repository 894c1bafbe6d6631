#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// A counter that every invocation of a large launch adds to: of so many parts that those which add at the same time
/// seldom meet at one, where a GPU lets them wait for each other. Its value is the sum of its parts.
struct SpreadCounter {
  static constexpr std::size_t part_count = 256;
  /// Neighbours, no more than a GPU's warp, that add to the same part.
  static constexpr std::size_t neighbours = 32;
  std::uint64_t parts[part_count] = {};

  GPUCHECK_HOST_DEVICE void add(const Thread& thread, std::uint64_t amount) {
    thread.atomic_add_together(&parts[thread.index / neighbours % part_count], amount);
  }
  [[nodiscard]] constexpr std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t part : parts) sum += part;
    return sum;
  }
};

}  // namespace gpucheck::device::kernels
