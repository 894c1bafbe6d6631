#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/allocator/device_allocator.hpp"
#include "runtime/allocator/rounding.hpp"

namespace gpucheck::runtime::detail {

class Arena;

/// The default pool or a private one. Changed only with all arenas closed, so that any arena's lock
/// is enough to read it.
struct Pool {
  PoolId id;
  PoolOptions options;
  int use_count = 1;
  std::uint64_t segment_count = 0;
  std::uint64_t requests = 0;  ///< being served, perhaps with the locks released for a while
  /// Searches for a free block, by kind; counted while garbage collection is on.
  std::array<std::uint64_t, pool_kinds> searches{};
  std::vector<Arena*> arenas;  ///< in order of their streams' handles
};

}  // namespace gpucheck::runtime::detail
