#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "observe/detail/trace_ring.hpp"
#include "runtime/memory_observer.hpp"

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
  runtime::CallContext follow(runtime::MemoryAction action, const runtime::MemoryEvent& event,
                              runtime::CallContext context) noexcept {
    if (context == runtime::no_call_context && blocks.empty() && segments.empty()) [[likely]]
      return context;
    return follow_contexts(action, event, context);
  }
  /// Adds the event, with `action` for its own, to the ring. Dropped when there is no
  /// memory for it.
  void record(runtime::MemoryAction action, const runtime::MemoryEvent& event, runtime::CallContext context,
              std::uint32_t labels, std::uint64_t ticks) noexcept {
    const bool is_last = event.stream == last_origin_.stream && event.pool == last_origin_.pool &&
                         labels == last_origin_.labels && !origins_.empty();
    if (!is_last && !find_origin({event.stream, event.pool, labels})) [[unlikely]]
      return;
    ring.push({ticks, event.address, event.size, context, last_number_, action});
  }
  void clear() noexcept;
  /// By their number in the records.
  [[nodiscard]] const std::vector<Origin>& origins() const noexcept { return origins_; }

  using Contexts = std::unordered_map<std::uintptr_t, runtime::CallContext>;
  Contexts blocks;  ///< by address: of blocks not yet completely freed
  Contexts segments;
  TraceRing ring;

 private:
  runtime::CallContext follow_contexts(runtime::MemoryAction action, const runtime::MemoryEvent& event,
                                       runtime::CallContext context) noexcept;
  [[nodiscard]] bool find_origin(const Origin& origin) noexcept;

  std::vector<Origin> origins_;
  std::map<Origin, std::uint32_t> numbers_;
  Origin last_origin_;
  std::uint32_t last_number_ = 0;
};

}  // namespace gpucheck::observe::detail
