#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "runtime/caching/state.hpp"

namespace gpucheck::runtime {

using detail::Arena;
using detail::BlockRef;
using detail::Exclusive;
using detail::Pool;

void CachingAllocator::retain_pool(PoolId pool, PoolOptions options) {
  const Exclusive lock(state_->locks);
  state_->pools.use(pool, options);
}

void CachingAllocator::begin_allocate_to_pool(PoolId pool, PoolFilter filter) {
  const Exclusive lock(state_->locks);
  state_->pools.begin_routing(pool, std::move(filter));
}

void CachingAllocator::end_allocate_to_pool(PoolId pool) {
  const Exclusive lock(state_->locks);
  state_->pools.end_routing(pool);
}

void CachingAllocator::release_pool(PoolId pool) {
  const Exclusive lock(state_->locks);
  state_->pools.release(pool);
}

int CachingAllocator::pool_use_count(PoolId id) const {
  const Exclusive lock(state_->locks);
  const Pool* pool = state_->pools.find(id);
  return pool == nullptr ? 0 : pool->use_count;
}

bool CachingAllocator::has_exactly_live(PoolId id, const std::vector<const void*>& pointers) const {
  const Exclusive lock(state_->locks);
  const Pool* pool = state_->pools.find(id);
  if (pool == nullptr) throw Error("Could not find pool of id");
  const std::set<const void*> expected(pointers.begin(), pointers.end());
  std::size_t live = 0;
  for (Arena* arena : pool->arenas) live += arena->unpark().live_count();
  if (live != expected.size()) return false;
  return std::ranges::all_of(expected, [&](const void* pointer) {
    const BlockRef ref = state_->arenas.find_in_use(pointer);
    return ref && &ref.arena->pool() == pool;
  });
}

void CachingAllocator::empty_cache() { empty_cache({}); }

void CachingAllocator::empty_cache(PoolId pool) {
  const CallContext context = state_->recording.context_of(MemoryCall::empty_cache);
  const Exclusive lock(state_->locks, context);
  state_->release_cached(pool);
}

void CachingAllocator::State::release_cached(PoolId id) {
  if (id.is_default() && !pools.is_routing()) {
    waiting_frees.synchronize(nullptr);
    segments.release_unsplit(pools.default_pool(), PoolKind::large);
    segments.release_unsplit(pools.default_pool(), PoolKind::small);
  }
  pools.erase_released_if(id, [&](Pool& pool) {
    if (!id.is_default() && !pools.is_routing()) waiting_frees.synchronize(&pool);
    segments.release_unsplit(pool, PoolKind::small);
    segments.release_unsplit(pool, PoolKind::large);
    if (pool.segment_count > 0 || pool.requests > 0) return false;
    arenas.retire(pool);
    return true;
  });
}

PoolFilter on_this_thread() {
  return [thread = std::this_thread::get_id()](device::Stream) { return std::this_thread::get_id() == thread; };
}

PoolFilter on_stream(device::Stream stream) {
  return [stream](device::Stream asked) { return asked == stream; };
}

}  // namespace gpucheck::runtime
