#include "runtime/caching/detail/state.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::runtime {

CachingAllocator::State::State(device::Device& device, const AllocatorSettings& settings, StreamIds stream_ids)
    : device_(device), pending_(device, std::move(stream_ids)), deferred_(device) {
  apply(settings);
  totals_.max_split_size = static_cast<std::int64_t>(settings.max_split_size);
  if (settings.per_process_memory_fraction < 1.0) set_memory_fraction(settings.per_process_memory_fraction);
}

CachingAllocator::State::~State() {
  // A device that is lost refuses; there is nothing left to give back then.
  for (const auto& arena : arenas_) {
    for (const BlockIndex first : arena->segments()) {
      if ((*arena)[first].expandable) continue;  // goes with its reservation
      static_cast<void>(device_.free(reinterpret_cast<void*>((*arena)[first].address)));
    }
  }
  for (void* pointer : uncached_pointers_) static_cast<void>(device_.free(pointer));
  // Unlike a plain free, unmapping does not wait for work that still uses the memory.
  if (!reservations_.empty()) static_cast<void>(device_.synchronize());
}

CachingAllocator::State::Exclusive::Exclusive(State& state, CallContext context)
    : state_(state), context_{.caller = context.caller} {  // its events have times of their own
  lock();
}

CachingAllocator::State::Exclusive::~Exclusive() {
  if (locked_) unlock();
}

void CachingAllocator::State::Exclusive::lock() {
  state_.mutex_.lock();
  for (const auto& arena : state_.arenas_) {
    arena->lock.lock();
    arena->unpark();
  }
  state_.context_ = context_;
  locked_ = true;
}

void CachingAllocator::State::Exclusive::unlock() {
  locked_ = false;
  for (const auto& arena : state_.arenas_) arena->lock.unlock();
  state_.mutex_.unlock();
}

CachingAllocator::State::Arena& CachingAllocator::State::arena_for(Pool& pool, device::Stream stream) {
  const auto place = std::ranges::lower_bound(pool.arenas, stream, {}, &Arena::stream);
  if (place != pool.arenas.end() && (*place)->stream() == stream) return **place;
  Arena* arena = nullptr;
  if (idle_arenas_.empty()) {
    arenas_.push_back(std::make_unique<Arena>(arenas_.size()));
    arena = arenas_.back().get();
    arena->lock.lock();  // as all others are
    counters_.push_back(&arena->counters);
    if (MemoryObserver* observer = observer_.load(std::memory_order_relaxed)) observer->prepare_shards(arenas_.size());
  } else {
    arena = idle_arenas_.back();
    idle_arenas_.pop_back();
  }
  arena->assign(pool, stream);
  pool.arenas.insert(place, arena);
  if (&pool == &default_pool_) default_arenas_.insert(*arena);
  return *arena;
}

CachingAllocator::State::Pool& CachingAllocator::State::pool_for(device::Stream stream) {
  for (auto entry = routings_.rbegin(); entry != routings_.rend(); ++entry) {
    if (entry->filter(stream)) return *pools_.at(entry->pool);
  }
  return default_pool_;
}

CachingAllocator::State::Pool* CachingAllocator::State::find_pool(PoolId id) {
  if (id.is_default()) return &default_pool_;
  const auto found = pools_.find(id);
  return found == pools_.end() ? nullptr : found->second.get();
}

void CachingAllocator::State::settle(Arena& arena) { ledger_.settle(counters_, arena.number()); }

void CachingAllocator::State::settle_alone(Arena& arena) {
  const Exclusive lock(*this);
  settle(arena);
}

/// Arenas may be past their allowance between an operation and its settling.
void CachingAllocator::State::settle_all() {
  for (const auto& arena : arenas_) settle(*arena);
}

void CachingAllocator::State::apply(AllocatorSettings settings) {
  settings_ = std::move(settings);
  policy_ = {settings_.max_split_size, settings_.max_non_split_rounding, settings_.expandable_segments};
  has_divisions_ = settings_.roundup_power2_divisions != AllocatorSettings{}.roundup_power2_divisions;
  update_attention();
}

void CachingAllocator::State::update_attention() {
  attention_ = (caching_ ? 0U : uncached) | (routings_.empty() ? 0U : routing) |
               (pending_.empty() && deferred_.empty() ? 0U : pending_frees) |
               (limit_ && settings_.garbage_collection_threshold > 0.0 ? garbage_collection : 0U);
}

}  // namespace gpucheck::runtime
