#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/allocator/pool_id.hpp"

namespace gpucheck::runtime {

/// Which graphs hold which private pools, for people who read snapshots: the allocators count
/// a pool's uses and do not know whose they are. Thread-safe.
class PoolOwners {
 public:
  /// `graph`: see Graph::number.
  void add(PoolId pool, std::uint64_t graph);
  void remove(PoolId pool, std::uint64_t graph);
  /// Pools and graphs, in their order.
  [[nodiscard]] std::vector<std::pair<PoolId, std::uint64_t>> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<PoolId, std::uint64_t>> owners_;  ///< sorted
};

}  // namespace gpucheck::runtime
