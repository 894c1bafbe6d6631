#pragma once

#include <memory>
#include <string_view>

#include "observe/history/history_options.hpp"
#include "observe/snapshot/memory_snapshot.hpp"
#include "runtime/caching/caching_allocator.hpp"

namespace gpucheck::observe {

/// Remembers what a caching allocator does and where it was asked to, as PyTorch's
/// record_memory_history does, and takes its snapshots.
///
/// Thread-safe. While it records, an allocation or a free takes no lock and makes no
/// system call more; with stacks, a few microseconds more for finding the callers. The
/// allocator must outlive it, and no call of the allocator may be in progress when it is
/// destroyed.
class MemoryHistory {
 public:
  /// Records nothing yet.
  MemoryHistory(runtime::CachingAllocator& allocator, int device_ordinal);
  ~MemoryHistory();
  MemoryHistory(const MemoryHistory&) = delete;
  MemoryHistory& operator=(const MemoryHistory&) = delete;

  /// Starts, changes or ends the recording. What was recorded stays, unless the options
  /// say otherwise, also beyond a smaller `max_entries`; ending it forgets all events.
  /// Blocks that are in use keep where they were allocated.
  void record(const HistoryOptions& options);

  /// Segments, blocks and events of one moment. The next snapshot's events name this one.
  [[nodiscard]] MemorySnapshot snapshot();

  /// Kept with every event from now on, whichever thread it comes from.
  void set_user_metadata(std::string_view text);
  /// The innermost one is kept with every event; "N/A" without any.
  void push_compile_context(std::string_view text);
  /// @throws Error when there is none.
  void pop_compile_context();

  /// Notes the start or end of a scope: see Scope.
  void annotate(std::string_view name, AnnotationStage stage);

 private:
  class Recorder;
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace gpucheck::observe
