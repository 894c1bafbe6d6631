#include <algorithm>
#include <set>

#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {

void CachingAllocator::State::retain_pool(PoolId id, PoolOptions options) {
  const Exclusive lock(*this);
  use_pool(id, options);
}

void CachingAllocator::State::use_pool(PoolId id, PoolOptions options) {
  if (Pool* pool = find_pool(id)) {
    if (pool->use_count == 0) {
      throw Error("The memory pool was released and waits for its memory to be given back. Use a new pool.");
    }
    ++pool->use_count;
    return;
  }
  auto pool = std::make_unique<Pool>();
  pool->id = id;
  pool->options = options;
  pools_.emplace(id, std::move(pool));
}

void CachingAllocator::State::begin_allocate_to_pool(PoolId id, PoolFilter filter) {
  const Exclusive lock(*this);
  if (id.is_default()) throw Error("Allocations cannot be routed to the default pool (0, 0). Name another pool.");
  use_pool(id, {});
  if (std::ranges::find(routings_, id, &Routing::pool) != routings_.end()) {
    throw Error("beginAllocateToPool: already recording to mempool_id");
  }
  routings_.push_back({id, std::move(filter)});
  update_attention();
}

void CachingAllocator::State::end_allocate_to_pool(PoolId id) {
  const Exclusive lock(*this);
  const auto entry = std::ranges::find(routings_, id, &Routing::pool);
  if (entry == routings_.end()) throw Error("endAllocatePool: not currently recording to mempool_id");
  routings_.erase(entry);
  update_attention();
}

void CachingAllocator::State::release_pool(PoolId id) {
  const Exclusive lock(*this);
  Pool* pool = id.is_default() ? nullptr : find_pool(id);
  if (pool == nullptr || pool->use_count == 0) {
    throw Error("release_pool: the memory pool is unknown or was released already.");
  }
  --pool->use_count;
}

int CachingAllocator::State::pool_use_count(PoolId id) {
  const Exclusive lock(*this);
  const Pool* pool = find_pool(id);
  return pool == nullptr ? 0 : pool->use_count;
}

bool CachingAllocator::State::has_exactly_live(PoolId id, const std::vector<const void*>& pointers) {
  const Exclusive lock(*this);
  const Pool* pool = find_pool(id);
  if (pool == nullptr) throw Error("Could not find pool of id");
  const std::set<const void*> expected(pointers.begin(), pointers.end());
  std::size_t live = 0;
  for (const Arena* arena : pool->arenas) live += arena->live_count();
  if (live != expected.size()) return false;
  return std::ranges::all_of(expected, [&](const void* pointer) {
    const BlockRef ref = find_live(pointer);
    return ref && &ref.arena->pool() == pool;
  });
}

}  // namespace gpucheck::runtime
