#include "replay/advice/out_of_memory.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "replay/analysis/usage/recorded_usage.hpp"
#include "replay/analysis/usage/timeline.hpp"
#include "replay/recording/reserved_ranges.hpp"
#include "replay/settings/expandable_history.hpp"
#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

namespace {

using Events = std::vector<SnapshotEvent>;

/// A block in use: its place, and how much of it the request needs.
struct InUse {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

class Explanation {
 public:
  Explanation(const Snapshot& snapshot, std::size_t device, const runtime::AllocatorSettings& settings,
              bool is_expandable_off, const std::vector<Lifetime>& lifetimes)
      : snapshot_(snapshot),
        device_(device),
        events_(snapshot.device_traces[device]),
        settings_(settings),
        is_expandable_off_(is_expandable_off),
        lifetimes_(lifetimes) {}

  OutOfMemory of(std::uint32_t event) {
    const SnapshotEvent& failure = events_[event];
    OutOfMemory result;
    result.event = event;
    result.stack = failure.stack;
    result.asked_bytes = failure.size;
    result.segment_bytes = runtime::segment_size_for(failure.size, settings_);
    result.stream = failure.stream;
    result.pool = failure.pool;
    if (failure.address <= INT64_MAX) result.device_free_bytes = failure.address;  // above: -1, which is not a size
    const std::vector<std::uint64_t> freed_late = freed_while_waiting(event);
    const std::vector<InUse> blocks = in_use_after(event);
    for (const InUse& block : blocks) result.in_use_bytes += block.size;
    result.waiting_bytes = waiting_after(event);
    std::map<HoleReason, OutOfMemory::Holes> holes;
    for (const ReservedRange& range : reserved_before(snapshot_, device_, event + std::size_t{1}).joined()) {
      result.reserved_bytes += range.end - range.begin;
      for_each_hole(range, blocks, [&](std::uint64_t begin, std::uint64_t bytes) {
        const auto late = std::ranges::lower_bound(freed_late, begin);
        const bool is_late = late != freed_late.end() && *late - begin < bytes;
        const HoleReason reason = reason_of(result, range, bytes, is_late);
        OutOfMemory::Holes& group = holes.try_emplace(reason, OutOfMemory::Holes{.reason = reason}).first->second;
        ++group.count;
        group.bytes += bytes;
        group.largest_bytes = std::max(group.largest_bytes, bytes);
      });
    }
    for (const auto& [reason, group] : holes) result.holes.push_back(group);
    return result;
  }

 private:
  [[nodiscard]] std::vector<InUse> in_use_after(std::uint32_t event) const {
    std::vector<InUse> blocks;
    for (const Lifetime& life : lifetimes_) {
      const bool has_begun = life.allocated_at == Lifetime::before_first || life.allocated_at <= event;
      const bool has_ended = life.freed_at != Lifetime::never && life.freed_at <= event;
      if (has_begun && !has_ended && life.size > 0) {
        blocks.push_back({life.address, runtime::round_size(life.size, settings_)});
      }
    }
    std::ranges::sort(blocks, {}, &InUse::address);
    return blocks;
  }

  /// Requested to be freed, and not completed, where completions are recorded.
  [[nodiscard]] std::uint64_t waiting_after(std::uint32_t event) const {
    if (free_action_of(events_) == SnapshotAction::free_requested) return 0;
    std::unordered_map<std::uint64_t, std::uint64_t> waiting;
    for (std::uint32_t i = 0; i <= event; ++i) {
      if (events_[i].action == SnapshotAction::free_requested) waiting[events_[i].address] = events_[i].size;
      if (events_[i].action == SnapshotAction::free_completed) waiting.erase(events_[i].address);
    }
    std::uint64_t bytes = 0;
    for (const auto& [address, size] : waiting)
      bytes += runtime::round_size(std::max<std::uint64_t>(size, 1), settings_);
    return bytes;
  }

  /// Where blocks were whose free completed right before the failure, in address order: while the allocator waited for
  /// other streams, and gave back what it could.
  [[nodiscard]] std::vector<std::uint64_t> freed_while_waiting(std::uint32_t event) const {
    std::vector<std::uint64_t> addresses;
    for (std::uint32_t i = event; i-- > 0;) {
      const SnapshotAction action = events_[i].action;
      const bool is_release = action == SnapshotAction::segment_free || action == SnapshotAction::segment_unmap;
      if (action == SnapshotAction::free_completed) {
        addresses.push_back(events_[i].address);
      } else if (!is_release && action != SnapshotAction::snapshot && action != SnapshotAction::other) {
        // A free without a wait is completed right after it was requested.
        const bool is_at_once = action == SnapshotAction::free_requested && !addresses.empty() &&
                                addresses.back() == events_[i].address &&
                                events_[i + 1].action == SnapshotAction::free_completed;
        if (is_at_once) addresses.pop_back();
        break;
      }
    }
    std::ranges::sort(addresses);
    return addresses;
  }

  /// Calls `use(begin, bytes)` for each range between blocks in use.
  template <typename Use>
  void for_each_hole(const ReservedRange& range, const std::vector<InUse>& blocks, Use&& use) const {
    std::uint64_t at = range.begin;
    for (auto block = std::ranges::lower_bound(blocks, range.begin, {}, &InUse::address);
         block != blocks.end() && block->address < range.end; ++block) {
      if (block->address > at) use(at, block->address - at);
      at = std::max(at, block->address + block->size);
    }
    if (at < range.end) use(at, range.end - at);
  }

  [[nodiscard]] HoleReason reason_of(const OutOfMemory& failure, const ReservedRange& range, std::uint64_t bytes,
                                     bool is_late) const {
    if (range.pool != failure.pool) return HoleReason::of_another_pool;
    if (range.stream != failure.stream) return HoleReason::of_another_stream;
    const bool needs_large = runtime::kind_of(failure.asked_bytes) == runtime::PoolKind::large;
    if (range.is_large != needs_large) return HoleReason::of_another_class;
    if (bytes < failure.asked_bytes) return HoleReason::too_small;
    if (range.is_expandable && is_expandable_off_) return HoleReason::expandable_off;
    const runtime::SplitPolicy policy{settings_.max_split_size, settings_.max_non_split_rounding,
                                      settings_.expandable_segments};
    if (!runtime::may_serve(bytes, failure.asked_bytes, policy)) return HoleReason::split_limit;
    return is_late ? HoleReason::free_too_late : HoleReason::unexplained;
  }

  const Snapshot& snapshot_;
  std::size_t device_;
  const Events& events_;
  const runtime::AllocatorSettings& settings_;
  bool is_expandable_off_;  ///< the segments say so
  const std::vector<Lifetime>& lifetimes_;
};

}  // namespace

std::string_view to_text(HoleReason reason) {
  switch (reason) {
    case HoleReason::of_another_pool:
      return "of_another_pool";
    case HoleReason::of_another_stream:
      return "of_another_stream";
    case HoleReason::of_another_class:
      return "of_another_class";
    case HoleReason::too_small:
      return "too_small";
    case HoleReason::expandable_off:
      return "expandable_off";
    case HoleReason::split_limit:
      return "split_limit";
    case HoleReason::free_too_late:
      return "free_too_late";
    case HoleReason::unexplained:
      break;
  }
  return "unexplained";
}

std::uint64_t OutOfMemory::hole_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Holes& group : holes) sum += group.bytes;
  return sum;
}

std::uint64_t OutOfMemory::hole_count() const noexcept {
  std::uint64_t sum = 0;
  for (const Holes& group : holes) sum += group.count;
  return sum;
}

bool OutOfMemory::would_be_served_again() const noexcept {
  return std::ranges::any_of(holes, [](const Holes& group) { return group.reason == HoleReason::free_too_late; });
}

bool OutOfMemory::is_fragmentation() const noexcept {
  return std::ranges::any_of(holes, [this](const Holes& group) {
    return group.reason == HoleReason::too_small && group.bytes >= asked_bytes;
  });
}

std::vector<OutOfMemory> explain_out_of_memory(const Snapshot& snapshot, std::size_t device,
                                               const runtime::AllocatorSettings& settings) {
  if (device >= snapshot.device_traces.size()) return {};
  std::vector<std::uint32_t> failures;
  const Events& events = snapshot.device_traces[device];
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].action != SnapshotAction::out_of_memory) continue;
    if (failures.size() == 2) failures.pop_back();
    failures.push_back(i);
  }
  if (failures.empty()) return {};
  const std::vector<Lifetime> lifetimes = lifetimes_of(snapshot, device);
  const ExpandableHistory history = expandable_history(snapshot, device);
  std::vector<OutOfMemory> explained;
  for (const std::uint32_t event : failures) {
    const std::optional<bool> is_expandable = history.at(event);
    runtime::AllocatorSettings in_force = settings;
    in_force.expandable_segments = is_expandable.value_or(settings.expandable_segments);
    explained.push_back(Explanation(snapshot, device, in_force, is_expandable == false, lifetimes).of(event));
  }
  return explained;
}

}  // namespace gpucheck::replay
