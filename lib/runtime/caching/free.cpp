#include <fmt/format.h>

#include "runtime/caching/detail/state.hpp"

namespace gpucheck::runtime {

void CachingAllocator::State::free(void* pointer) {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  MemoryObserver* const observer = observer_.load(std::memory_order_relaxed);
  // A wrong or missing arena here is rare and sorted out with everything locked.
  Arena* arena = addresses_.find(address);
  const CallContext context = observer == nullptr ? no_call_context : observer->context_of(MemoryCall::free);
  if (arena == nullptr) return free_exclusively(pointer, context);
  std::unique_lock lock(arena->lock);
  const auto place = arena->find(address);
  const Block& block = (*arena)[place.index];
  if (place.index == detail::no_block || block.uses != 0 || block.size >= policy_.max_split_size) {
    lock.unlock();
    return free_exclusively(pointer, context);
  }
  if (observer != nullptr) [[unlikely]] {
    record_free(*arena, address, block.requested, context);
  }
  arena->request_free(place);
  const bool over = arena->park(place.index);
  lock.unlock();
  if (over) settle_alone(*arena);
}

void CachingAllocator::State::free_exclusively(void* pointer, CallContext context) {
  const Exclusive lock(*this, context);
  const BlockRef ref = find_live(pointer);
  if (!ref) {
    if (uncached_pointers_.erase(pointer) == 0) throw Error(fmt::format("invalid device pointer: {}", pointer));
    return device::check(device_.free(pointer), "free");
  }
  give_up(ref);
}

void CachingAllocator::State::give_up(BlockRef ref) {
  if (ref.block().size >= policy_.max_split_size) {
    --totals_.oversize_allocations.current;
    ++totals_.oversize_allocations.freed;
  }
  record(*ref.arena, MemoryAction::free_requested, ref.block().address, ref.block().requested);
  ref.arena->request_free(ref.arena->find(ref.block().address));
  if (ref.block().uses == 0) {
    record(*ref.arena, MemoryAction::free_completed, ref.block().address, ref.block().requested);
    if (ref.arena->finish_free(ref.index)) settle(*ref.arena);
    return;
  }
  ledger_.add_pending(ref.block().kind, ref.block().size);
  // No event can be recorded while a capture may be open.
  if (routings_.empty()) {
    insert_events(ref);
  } else if (settings_.graph_capture_record_stream_reuse) {
    deferred_.add_with_last_uses(ref);
  } else {
    deferred_.add(ref);
  }
  update_attention();
}

void CachingAllocator::State::record_stream(void* pointer, device::Stream stream) {
  if (pointer == nullptr) return;
  const Exclusive lock(*this);
  const BlockRef ref = find_live(pointer);
  if (!ref || ref.arena->stream() == stream) return;
  ref.block().uses = ref.arena->uses().add(ref.block().uses, {stream, !routings_.empty()});
}

/// The block in use that starts at `pointer`, in whichever arena it is.
CachingAllocator::State::BlockRef CachingAllocator::State::find_live(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (Arena* arena = addresses_.find(address)) {
    if (const BlockIndex index = arena->find(address).index; index != detail::no_block) return {arena, index};
  }
  for (const auto& arena : arenas_) {
    if (const BlockIndex index = arena->find(address).index; index != detail::no_block) return {arena.get(), index};
  }
  return {};
}

void CachingAllocator::State::finish_pending(BlockRef ref) {
  record(*ref.arena, MemoryAction::free_completed, ref.block().address, ref.block().requested);
  ledger_.remove_pending(ref.block().kind, ref.block().size);
  if (ref.arena->finish_free(ref.index)) settle(*ref.arena);
}

void CachingAllocator::State::insert_events(BlockRef ref) {
  std::vector<device::Stream> streams;
  for (const detail::StreamUse& use : ref.arena->uses().take(std::exchange(ref.block().uses, 0))) {
    streams.push_back(use.stream);
  }
  pending_.add(ref, streams);
}

/// Streams recorded while a capture was open have been joined by its end, or are
/// part of the graph: only those recorded outside it need an event.
void CachingAllocator::State::process_deferred() {
  for (const BlockRef ref : deferred_.take_all()) {
    std::vector<device::Stream> streams;
    for (const detail::StreamUse& use : ref.arena->uses().take(std::exchange(ref.block().uses, 0))) {
      if (!use.during_capture) streams.push_back(use.stream);
    }
    pending_.add(ref, streams);
    if (ref.block().events == 0) finish_pending(ref);
  }
}

void CachingAllocator::State::finish_ordered(device::Stream stream) {
  for (const BlockRef ref : deferred_.take_ordered(stream)) {
    static_cast<void>(ref.arena->uses().take(std::exchange(ref.block().uses, 0)));
    finish_pending(ref);
  }
  update_attention();
}

void CachingAllocator::State::synchronize_events(const Pool* pool) {
  ++totals_.num_sync_all_streams;
  process_deferred();
  pending_.wait(pool, [this](BlockRef ref) { finish_pending(ref); });
  update_attention();
}

}  // namespace gpucheck::runtime
