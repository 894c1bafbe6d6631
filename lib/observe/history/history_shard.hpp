#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "observe/history/trace_ring.hpp"
#include "runtime/allocator/memory_recorder.hpp"

namespace gpucheck::observe::detail {

/// What many records have in common.
struct Origin {
  device::Stream stream;
  runtime::PoolId pool;
  std::uint32_t labels = 0;  ///< see MemoryHistory
  auto operator<=>(const Origin&) const = default;
};

/// One shard's part of the history, used under the shard's serialisation.
class alignas(128) HistoryShard {
 public:
  explicit HistoryShard(std::size_t limit) noexcept : ring(limit) {}

  /// Keeps where live blocks and segments were allocated. Returns the context to show
  /// with the event: a free or release without its own has that of its allocation.
  runtime::CallerNumber follow(runtime::MemoryAction action, const runtime::MemoryEvent& event,
                               runtime::CallerNumber context) noexcept;
  /// Whether `follow` has anything to do for events without a context.
  [[nodiscard]] bool has_contexts() const noexcept { return !blocks.empty() || !segments.empty(); }

  /// What goes with an event.
  struct Note {
    std::uint64_t ticks;
    runtime::CallerNumber context;
    std::uint32_t labels;
  };
  /// Adds the event, with `action` for its own, to the ring. Dropped when there is no
  /// memory for it.
  void record(runtime::MemoryAction action, const runtime::MemoryEvent& event, const Note& note) noexcept {
    if (!has_last_origin(event, note.labels)) [[unlikely]]
      return record_other(action, false, event, note);
    ring.push(record_of(action, event, note));
  }
  /// Adds free_requested and free_completed.
  void record_free(const runtime::MemoryEvent& event, const Note& note) noexcept {
    if (!has_last_origin(event, note.labels)) [[unlikely]]
      return record_other(runtime::MemoryAction::free_requested, true, event, note);
    ring.push_free(record_of(runtime::MemoryAction::free_requested, event, note));
  }
  /// Events recorded from now on are not earlier, even if their calls began before.
  void set_earliest(std::uint64_t ticks) noexcept { earliest_ = ticks; }
  void clear() noexcept;
  /// By their number in the records.
  [[nodiscard]] const std::vector<Origin>& origins() const noexcept { return origins_; }

  using Contexts = std::unordered_map<std::uintptr_t, runtime::CallerNumber>;
  Contexts blocks;  ///< by address: of blocks not yet completely freed
  Contexts segments;
  TraceRing ring;

 private:
  [[nodiscard]] TraceRecord record_of(runtime::MemoryAction action, const runtime::MemoryEvent& event,
                                      const Note& note) const noexcept {
    return {std::max(note.ticks, earliest_), event.address, event.size, note.context, last_number_, action};
  }
  [[nodiscard]] bool has_last_origin(const runtime::MemoryEvent& event, std::uint32_t labels) const noexcept {
    return event.stream == last_origin_.stream && event.pool == last_origin_.pool && labels == last_origin_.labels &&
           !origins_.empty();
  }
  void record_other(runtime::MemoryAction action, bool is_completed, const runtime::MemoryEvent& event,
                    const Note& note) noexcept;
  /// Makes the origin the last one; false when there is no memory for it.
  [[nodiscard]] bool find_origin(const Origin& origin) noexcept;

  std::vector<Origin> origins_;
  std::map<Origin, std::uint32_t> numbers_;
  Origin last_origin_;
  std::uint32_t last_number_ = 0;
  std::uint64_t earliest_ = 0;
};

/// Where the block or segment at an address was allocated; unknown_caller when that is not known.
inline runtime::CallerNumber context_of(const HistoryShard::Contexts& contexts, std::uintptr_t address) noexcept {
  const auto place = contexts.find(address);
  return place == contexts.end() ? runtime::unknown_caller : place->second;
}

}  // namespace gpucheck::observe::detail
