#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/distributions.hpp"

namespace gpucheck::device::kernels {

/// out[0..elements) drawn from a distribution, shared among as many invocations as there are
/// sequences, the way PyTorch's kernels share it: each draws some values at a time, and writes
/// them as many elements apart as there are sequences.
///
/// A distribution over `Value` says how values are drawn of four words (`draw`) and what is
/// written for one (`transform`).
template <typename Distribution>
struct Draw {
  using Value = typename Distribution::Value;
  static constexpr std::string_view name = Distribution::name;
  Value* out;
  std::size_t elements;
  PhiloxStart random;
  Distribution distribution;

  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {writes(out, elements * sizeof(Value)), random.seed_access(), random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t sequences = thread.count;
    const std::uint64_t key = random.key();
    std::uint64_t position = random.position();
    for (std::size_t first = thread.index; first < elements; ++position) {
      const auto drawn = Distribution::draw(philox(key, thread.index, position));
      for (std::size_t lane = 0; lane < drawn.size; ++lane, first += sequences) {
        if (first < elements) out[first] = distribution.transform(drawn.values[lane]);
      }
    }
  }
};

}  // namespace gpucheck::device::kernels
