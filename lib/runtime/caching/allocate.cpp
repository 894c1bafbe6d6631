#include "runtime/caching/detail/added.hpp"
#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {
namespace {

constexpr std::size_t impossible_size = std::size_t{1} << 60U;

void increase(Statistic& statistic) {
  ++statistic.current;
  ++statistic.allocated;
  statistic.peak = std::max(statistic.peak, statistic.current);
}

}  // namespace

void* CachingAllocator::State::allocate(std::size_t bytes, device::Stream stream) {
  if (bytes == 0) return nullptr;
  if (bytes >= impossible_size) {
    throw OutOfMemoryError("CUDA out of memory. Tried to allocate more than 1EB memory.");
  }
  MemoryObserver* const observer = observer_.load(std::memory_order_relaxed);
  Arena* arena = default_arenas_.find(stream);
  const CallContext context = observer == nullptr ? no_call_context : observer->context_of(MemoryCall::allocate);
  if (arena == nullptr) return allocate_exclusively(bytes, stream, context);
  std::unique_lock lock(arena->lock);
  if (attention_ == 0) {
    const Arena::HandedOut block = hand_out_cached(*arena, bytes);
    if (block.index != detail::no_block) {
      const std::uintptr_t address = (*arena)[block.index].address;
      if (observer != nullptr) [[unlikely]]
        record_allocation(*arena, address, bytes, context);
      lock.unlock();
      if (block.over) settle_alone(*arena);
      return reinterpret_cast<void*>(address);
    }
  }
  lock.unlock();
  return allocate_exclusively(bytes, stream, context);
}

/// A block that can be had with nothing but the arena locked; no_block when there is none.
CachingAllocator::State::Arena::HandedOut CachingAllocator::State::hand_out_cached(Arena& arena, std::size_t bytes) {
  const std::uint64_t rounded = rounded_size(bytes);
  const Arena::HandedOut parked = arena.take_parked(rounded, bytes, policy_);
  if (parked.index != detail::no_block) return parked;
  arena.unpark();
  const BlockIndex fit = arena.find_fit(rounded, policy_);
  if (fit == detail::no_block || arena[fit].size >= policy_.max_split_size) return {};
  return arena.hand_out(fit, rounded, bytes, policy_);
}

void* CachingAllocator::State::allocate_exclusively(std::size_t bytes, device::Stream stream, CallContext context) {
  Exclusive lock(*this, context);
  if (!caching_) return allocate_uncached(bytes);
  const Request request = prepare(bytes, stream);
  const BlockRef found = find_or_obtain(request, lock);
  if (!found) fail(request, lock);
  return hand_out(found, request);
}

void* CachingAllocator::State::allocate_uncached(std::size_t bytes) {
  void* pointer = device_.allocate(bytes).value();
  uncached_pointers_.insert(pointer);
  return pointer;
}

CachingAllocator::State::Request CachingAllocator::State::prepare(std::size_t bytes, device::Stream stream) {
  // While a capture may be open, events must not be queried.
  if (routings_.empty() && (attention_ & pending_frees) != 0) {
    process_deferred();
    pending_.poll([this](BlockRef ref) { finish_pending(ref); });
    update_attention();
  } else if (settings_.graph_capture_record_stream_reuse && !deferred_.empty()) {
    finish_ordered(stream);
  }
  Request request;
  request.arena = &arena_for(pool_for(stream), stream);
  request.bytes = bytes;
  request.rounded = rounded_size(bytes);
  request.segment_bytes = segment_size_for(request.rounded, settings_);
  return request;
}

CachingAllocator::State::BlockRef CachingAllocator::State::search(const Request& request) {
  if ((attention_ & garbage_collection) != 0) {
    ++request.arena->pool().searches[detail::Counters::index(request.kind())];
  }
  return {request.arena, request.arena->find_fit(request.rounded, policy_)};
}

/// Searches again when some callback freed memory. They run unlocked, for they call the
/// allocator.
CachingAllocator::State::BlockRef CachingAllocator::State::search_or_ask(const Request& request, Exclusive& lock) {
  const BlockRef found = search(request);
  if (found || free_memory_callbacks_.empty()) return found;
  const auto callbacks = free_memory_callbacks_;
  bool freed = false;
  {
    const Released released(lock);
    for (const auto& callback : callbacks) freed = callback() || freed;
  }
  return freed ? search(request) : found;
}

CachingAllocator::State::BlockRef CachingAllocator::State::search_last_resort(const Request& request) {
  if (&request.arena->pool() != &default_pool_) return {};
  for (const auto& [id, pool] : pools_) {
    if (!pool->options.use_on_out_of_memory) continue;
    for (Arena* arena : pool->arenas) {
      if (arena->stream() != request.arena->stream()) continue;
      const BlockRef found{arena, arena->find_fit(request.rounded, policy_in(*arena, request))};
      if (found) return found;
    }
  }
  return {};
}

/// Empty when the memory is out.
CachingAllocator::State::BlockRef CachingAllocator::State::find_or_obtain(const Request& request, Exclusive& lock) {
  const detail::Added being_served(request.arena->pool().requests, 1);
  BlockRef found = search_or_ask(request, lock);
  if (found) return found;
  if ((attention_ & garbage_collection) != 0) collect_garbage();
  found = obtain_segment(request, lock, false);
  if (!found) found = search_last_resort(request);
  if (!found && release_oversize(request)) found = obtain_segment(request, lock, false);
  if (!found && routings_.empty()) {
    release_cached({});
    found = obtain_segment(request, lock, true);
  }
  return found;
}

void* CachingAllocator::State::hand_out(BlockRef ref, const Request& request) {
  const SplitPolicy policy = policy_in(*ref.arena, request);
  return account(*ref.arena, ref.arena->hand_out(ref.index, request.rounded, request.bytes, policy), request.bytes);
}

/// For a last resort, a block of another pool, PyTorch acts as if there were no expandable
/// segments: it takes no block of one.
SplitPolicy CachingAllocator::State::policy_in(const Arena& arena, const Request& request) const {
  SplitPolicy policy = policy_;
  policy.expandable_segments = policy.expandable_segments && &arena.pool() == &request.arena->pool();
  return policy;
}

void* CachingAllocator::State::account(Arena& arena, Arena::HandedOut handed, std::uint64_t bytes) {
  if (handed.over) settle(arena);
  if ((attention_ & pending_frees) != 0) ledger_.note_active(counters_);
  const Block& block = arena[handed.index];
  if (block.size >= policy_.max_split_size) increase(totals_.oversize_allocations);
  record(arena, MemoryAction::alloc, block.address, bytes);
  return reinterpret_cast<void*>(block.address);
}

}  // namespace gpucheck::runtime
