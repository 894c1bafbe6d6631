#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/distributions.hpp"
#include "device/kernels/support/philox_keys.hpp"

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
  static constexpr std::size_t drawn_size = decltype(Distribution::draw({}))::size;
  Value* out;
  std::size_t elements;
  PhiloxStart random;
  Distribution distribution;
  PhiloxKeys keys{random.seed};  ///< of a launch outside of graphs: better than 20 registers of each thread

  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {writes(out, elements * sizeof(Value)), random.seed_access(), random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    if (random.seed_at == nullptr) {
      draw(thread, keys);
    } else {
      draw(thread, PhiloxKeys(random.key()));
    }
  }
  GPUCHECK_HOST_DEVICE void draw(const Thread& thread, const PhiloxKeys& its_keys) const {
    const std::size_t sequences = thread.count;
    std::uint64_t position = random.position();
    std::size_t first = thread.index;
    // As long as each of the values has a place: that is not asked for every one.
    for (; first + (drawn_size - 1) * sequences < elements; first += drawn_size * sequences) {
      const auto drawn = Distribution::draw(philox(its_keys, thread.index, position++));
      for (std::size_t lane = 0; lane < drawn_size; ++lane) {
        out[first + lane * sequences] = distribution.transform(drawn.values[lane]);
      }
    }
    if (first >= elements) return;
    const auto drawn = Distribution::draw(philox(its_keys, thread.index, position));
    for (std::size_t lane = 0; lane < drawn_size; ++lane, first += sequences) {
      if (first < elements) out[first] = distribution.transform(drawn.values[lane]);
    }
  }
};

}  // namespace gpucheck::device::kernels
