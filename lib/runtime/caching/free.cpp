#include <fmt/format.h>
#include <mutex>
#include <utility>

#include "device/check.hpp"
#include "runtime/caching/state.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"

namespace gpucheck::runtime {
namespace {

using detail::Arena;
using detail::Block;
using detail::BlockRef;
using detail::Exclusive;
using detail::Serial;
using detail::SlowPathReason;
using State = CachingAllocator::State;

/// Frees a block that other streams use, or one of a size that is counted apart: the mutex and
/// the arena's lock will do. False when no block in use is found where the address says.
bool free_serially(State& state, void* pointer, CallContext context) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  Arena* const arena = state.arenas.at_address(address);
  if (arena == nullptr) return false;
  const Serial serial(state.locks, context);
  State::CountingLock lock(state, *arena);
  const auto place = arena->find(address);
  if (place.index == detail::no_block) return false;
  std::vector<detail::StreamUse> uses = state.free_block(*arena, place);
  lock.release();
  // What is recorded on the device here, others need not wait for.
  if (!uses.empty()) state.waiting_frees.add({arena, place.index}, std::move(uses), state.means_of_waiting());
  return true;
}

/// Frees a block wherever it is. A wrong or missing arena at an address is rare.
void free_exclusively(State& state, void* pointer, CallContext context) {
  const Exclusive lock(state.locks, context);
  const BlockRef ref = state.arenas.find_in_use(pointer);
  if (!ref) {
    if (state.uncached_pointers.erase(pointer) == 0) throw Error(fmt::format("invalid device pointer: {}", pointer));
    return device::check_and_clear(state.device, state.device.free(pointer), "free");
  }
  state.statistics.admit_closed(*ref.arena);
  std::vector<detail::StreamUse> uses = state.free_block(*ref.arena, ref.arena->find(ref.block().address));
  if (!uses.empty()) state.waiting_frees.add(ref, std::move(uses), state.means_of_waiting());
}

}  // namespace

void CachingAllocator::State::free(void* pointer) {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  MemoryRecorder* const recorder = recording.recorder();
  Arena* arena = arenas.at_address(address);
  const CallContext context = recorder == nullptr ? no_call_context : recorder->context_of(MemoryCall::free);
  if (arena == nullptr) return free_exclusively(*this, pointer, context);
  CountingLock lock(*this, *arena);
  const auto place = arena->find(address);
  const Block& block = arena->in_use(place);
  if (place.index == detail::no_block || block.uses != 0 || configuration.is_oversize(block.size)) {
    lock.give_up();
    if (!free_serially(*this, pointer, context)) free_exclusively(*this, pointer, context);
    return;
  }
  if (recorder != nullptr) [[unlikely]] {
    recording.freed(*arena, address, block.requested, context);
  }
  arena->free(place);
  lock.release();
}

std::vector<detail::StreamUse> CachingAllocator::State::free_block(Arena& arena, detail::PointerMap::Place place) {
  detail::Heap& heap = arena.unpark();
  const Block& block = heap[place.index];
  if (configuration.is_oversize(block.size)) statistics.oversize_freed();
  recording.record(arena, MemoryAction::free_requested, block.address, block.requested);
  if (block.uses != 0) return heap.begin_pending_free(place);
  heap.request_free(place);
  recording.record(arena, MemoryAction::free_completed, block.address, block.requested);
  heap.finish_free(place.index);
  return {};
}

detail::WaitingFrees::Means CachingAllocator::State::means_of_waiting() const noexcept {
  using Means = detail::WaitingFrees::Means;
  if (!pools.is_routing()) return Means::events;
  return configuration.settings().graph_capture_record_stream_reuse ? Means::capture_order : Means::end_of_capture;
}

bool CachingAllocator::State::is_in_use(void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (Arena* const arena = arenas.at_address(address)) {
    const std::scoped_lock lock(arena->lock);
    if (arena->find(address).index != detail::no_block) return true;
  }
  const Exclusive lock(locks);
  return arenas.find_in_use(pointer) || uncached_pointers.contains(pointer);
}

void CachingAllocator::free(void* pointer) {
  GpuTraceSink* const sink = state_->trace_sink.load(std::memory_order_acquire);
  // Only for memory in use: freeing anything else is an error, not an event.
  if (sink != nullptr && state_->is_in_use(pointer)) [[unlikely]]
    sink->memory_deallocation(reinterpret_cast<std::uintptr_t>(pointer));
  state_->free(pointer);
}

void CachingAllocator::record_stream(void* pointer, device::Stream stream) {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  detail::StreamUse use{.stream = stream, .id = state_->stream_ids(stream)};
  const auto record = [&](Arena& arena, detail::PointerMap::Place place) {
    use.during_capture = state_->slow_path.has(SlowPathReason::routing);
    if (arena.stream() != stream) arena.add_use(place, use);
  };
  if (Arena* const arena = state_->arenas.at_address(address)) {
    const std::scoped_lock lock(arena->lock);
    if (const auto place = arena->find(address); place.index != detail::no_block) return record(*arena, place);
  }
  const Exclusive lock(state_->locks);
  if (const BlockRef ref = state_->arenas.find_in_use(pointer)) record(*ref.arena, ref.arena->find(address));
}

}  // namespace gpucheck::runtime
