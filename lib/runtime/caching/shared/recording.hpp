#pragma once

#include <atomic>

#include "runtime/allocator/memory_recorder.hpp"
#include "runtime/caching/arena/arena.hpp"

namespace gpucheck::runtime::detail {

/// Reports the recorder, if there is one, of what happens. The recorder is changed with all arenas
/// closed. Events are recorded with their arena's lock held or closed.
class Recording {
 public:
  [[nodiscard]] MemoryRecorder* recorder() const noexcept { return recorder_.load(std::memory_order_relaxed); }
  void set_recorder(MemoryRecorder* recorder, std::size_t arena_count) {
    if (recorder != nullptr) recorder->prepare_shards(arena_count);
    recorder_.store(recorder, std::memory_order_relaxed);
  }
  void prepare(std::size_t arena_count) const {
    if (MemoryRecorder* const recorder = this->recorder()) recorder->prepare_shards(arena_count);
  }

  /// Where a call comes from, if anybody wants to know. To be asked before any lock is taken.
  [[nodiscard]] CallContext context_of(MemoryCall call) const noexcept {
    MemoryRecorder* const recorder = this->recorder();
    return recorder == nullptr ? no_call_context : recorder->context_of(call);
  }

  // The fast path's events, with the context of their call.
  void allocated(const Arena& arena, std::uintptr_t address, std::uint64_t size, CallContext context) const noexcept {
    record(arena, event_of(arena, MemoryAction::alloc, address, size), context);
  }
  /// free_requested and free_completed.
  void freed(const Arena& arena, std::uintptr_t address, std::uint64_t size, CallContext context) const noexcept {
    MemoryRecorder* const recorder = this->recorder();
    if (recorder == nullptr) return;  // it may have gone since the context was asked for
    recorder->record_free(arena.number(), event_of(arena, MemoryAction::free_requested, address, size), context);
  }

  /// The call that holds the allocator's mutex. Its events have times of their own.
  void set_context(CallContext context) noexcept { context_ = {.caller = context.caller}; }
  // That call's events.
  void record(const Arena& arena, MemoryAction action, std::uintptr_t address, std::uint64_t size) const noexcept {
    record(arena, event_of(arena, action, address, size), context_);
  }
  void segment_freed(const Arena& arena, const Block& block) const noexcept {
    MemoryEvent event = event_of(arena, MemoryAction::segment_free, block.address, block.size);
    event.was_split = block.is_merged;
    record(arena, event, context_);
  }

 private:
  static MemoryEvent event_of(const Arena& arena, MemoryAction action, std::uintptr_t address, std::uint64_t size) {
    return {action, address, size, arena.stream(), arena.pool().id};
  }
  void record(const Arena& arena, const MemoryEvent& event, CallContext context) const noexcept {
    MemoryRecorder* const recorder = this->recorder();
    if (recorder != nullptr) recorder->record(arena.number(), event, context);
  }

  std::atomic<MemoryRecorder*> recorder_ = nullptr;
  /// Guarded by the allocator's mutex. Apart from the recorder, which every call reads.
  alignas(64) CallContext context_ = no_call_context;
};

}  // namespace gpucheck::runtime::detail
