#include "runtime/allocator/pool_owners.hpp"

#include <algorithm>

namespace gpucheck::runtime {

void PoolOwners::add(PoolId pool, std::uint64_t graph) {
  const std::scoped_lock lock(mutex_);
  const std::pair owner{pool, graph};
  owners_.insert(std::ranges::upper_bound(owners_, owner), owner);
}

void PoolOwners::remove(PoolId pool, std::uint64_t graph) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(owners_, std::pair{pool, graph});
  if (found != owners_.end()) owners_.erase(found);
}

std::vector<std::pair<PoolId, std::uint64_t>> PoolOwners::all() const {
  const std::scoped_lock lock(mutex_);
  return owners_;
}

}  // namespace gpucheck::runtime
