#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// Reports the kernels of a graph where their random numbers begin. Launch with a count of 1.
struct SetGraphRandom {
  static constexpr std::string_view name = "set_graph_random";
  std::uint64_t seed;
  std::uint64_t offset;
  std::int64_t* seed_at;
  std::int64_t* offset_at;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {writes(seed_at, sizeof(*seed_at)), writes(offset_at, sizeof(*offset_at))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const {
    *seed_at = static_cast<std::int64_t>(seed);
    *offset_at = static_cast<std::int64_t>(offset);
  }
};

namespace families {
using graph_random = Family<SetGraphRandom>;
}
template <typename Functor>
requires(families::graph_random::has<Functor>) struct FamilyOf<Functor> : families::graph_random {
};

}  // namespace gpucheck::device::kernels
