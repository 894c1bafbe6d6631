#include "replay/analysis/conversion.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "base/error.hpp"
#include "replay/analysis/usage/live_allocations.hpp"
#include "replay/analysis/usage/recorded_usage.hpp"
#include "replay/recording/pool_routing.hpp"

namespace gpucheck::replay {

namespace {

using Events = std::vector<SnapshotEvent>;

class Converter {
 public:
  Converter(const Snapshot& snapshot, std::size_t device, PrivatePools pools, SettingChanges changes)
      : snapshot_(snapshot),
        device_(device),
        recorded_(snapshot.device_traces[device]),
        keeps_pools_(pools == PrivatePools::kept),
        recorded_pools_(snapshot, device),
        history_(expandable_history(snapshot, device)),
        reserved_(initial_reserved_bytes(snapshot, device)),
        most_reserved_bytes_(recorded_usage(snapshot, device, 0).peak_reserved_bytes) {
    result_.report.settings = recorded_settings(snapshot, history_);
    take_changes(changes);
    collects_garbage_ = result_.report.settings.played.find("garbage_collection_threshold") != std::string::npos;
    completions_recorded_ = std::ranges::any_of(
        recorded_, [](const SnapshotEvent& event) { return event.action == SnapshotAction::free_completed; });
  }

  Conversion run() {
    result_.report.recorded_events = recorded_.size();
    for (position_ = 0; position_ < recorded_.size(); ++position_) convert(position_);
    add_blocks_never_mentioned();
    finish();
    return std::move(result_);
  }

 private:
  void take_changes(SettingChanges changes) {
    RecordedSettings& settings = result_.report.settings;
    if (settings.change.empty()) return;
    plays_changes_ = changes == SettingChanges::played;
    settings.remarks.push_back(settings.remark_on_change(plays_changes_));
    if (!plays_changes_) return;
    result_.trace.later_settings = {with_expandable_segments(settings.played, false),
                                    with_expandable_segments(settings.played, true)};
  }

  /// From now on.
  void set_expandable_segments(bool value) {
    ++result_.report.setting_changes;
    add({0, value ? 1U : 0U, 0, Action::set_settings, false});
  }

  void convert(std::size_t i) {
    const SnapshotEvent& event = recorded_[i];
    if (plays_changes_ && next_change_ < history_.changes.size() && history_.changes[next_change_].event == i) {
      set_expandable_segments(history_.changes[next_change_++].value);
    }
    if (releases_segment(event) && !releases_begun_at_) releases_begun_at_ = reserved_.now();
    reserved_.change(reserved_change(event));
    if (recorded_pools_.of(position_) != PoolId{0, 0}) ++result_.report.private_pool_events;
    switch (event.action) {
      case SnapshotAction::alloc:
        return allocate(event);
      case SnapshotAction::free_requested:
        if (!completions_recorded_ || completes_at_once(i)) return free(event);
        return free_later(event);
      case SnapshotAction::free_completed:
        if (i == 0 || !completes_at_once(i - 1)) complete(event);
        return;
      case SnapshotAction::segment_free:
      case SnapshotAction::segment_unmap:
        return end_of_releases(i);
      case SnapshotAction::out_of_memory:
        ++result_.report.out_of_memory;
        route_to(pool_number(recorded_pools_.of(position_)));
        return add({event.size, new_id(), stream(event.stream), Action::try_allocate, false});
      case SnapshotAction::other:
        ++result_.report.ignored_events;
        return;
      default:
        return;
    }
  }

  [[nodiscard]] bool completes_at_once(std::size_t i) const {
    return recorded_[i].action == SnapshotAction::free_requested && i + 1 < recorded_.size() &&
           recorded_[i + 1].action == SnapshotAction::free_completed &&
           recorded_[i + 1].address == recorded_[i].address;
  }

  void allocate(const SnapshotEvent& event) {
    const std::uint32_t id = new_id();
    if (const auto replaced = live_.begin_life(event.address, id)) {
      ++result_.report.contradictions;
      if (!end_uses(event.address)) add({0, *replaced, 0, Action::free, false});
    }
    route_to(pool_number(recorded_pools_.of(position_)));
    add({event.size, id, stream(event.stream), Action::allocate, false});
  }

  [[nodiscard]] std::optional<std::uint32_t> pool_number(PoolId pool) {
    return keeps_pools_ ? pool_numbers_.number_of(pool) : std::nullopt;
  }

  /// From now on allocations go to that pool, or to the default ones.
  void route_to(std::optional<std::uint32_t> pool) {
    if (pool == routed_) return;
    if (routed_) add({0, *routed_, 0, Action::end_pool, false});
    if (pool) add({0, *pool, 0, Action::begin_pool, false});
    routed_ = pool;
  }

  /// Only the end of a block from before the first event is recorded.
  void free_later(const SnapshotEvent& event) {
    if (!live_.living(event.address)) return;
    const auto number = unused_numbers_.empty() ? waiting_.size() : *unused_numbers_.begin();
    if (number > UINT16_MAX || !waiting_.emplace(event.address, number).second) return;
    unused_numbers_.erase(number);
    add({0, live_.id(event.address), static_cast<std::uint16_t>(number), Action::free_later, false});
  }

  /// False where no free waits there.
  bool end_uses(std::uint64_t address) {
    const auto waiting = waiting_.find(address);
    if (waiting == waiting_.end()) return false;
    const std::size_t number = waiting->second;
    waiting_.erase(waiting);
    unused_numbers_.insert(number);
    add({0, 0, static_cast<std::uint16_t>(number), Action::end_of_uses, false});
    return true;
  }

  void complete(const SnapshotEvent& event) {
    ++result_.report.deferred_frees;
    if (!end_uses(event.address)) return free(event);
    static_cast<void>(live_.end_life(event.address));
  }

  void free(const SnapshotEvent& event) {
    if (live_.ended(event.address)) {
      ++result_.report.contradictions;
      return;
    }
    if (!live_.living(event.address))
      add_initial(event.address, event.size, event.stream, recorded_pools_.of(position_), no_stack);
    add({0, live_.end_life(event.address), 0, Action::free, false});
  }

  /// Whether memory can have been so short at event i that the allocator had to release some before: not where as much
  /// as was reserved then and that event's segment together fitted at another time. Collection of garbage waits for no
  /// shortage.
  [[nodiscard]] bool can_have_been_short(std::size_t i, std::uint64_t reserved_before) const {
    if (recorded_[i].action == SnapshotAction::out_of_memory) return true;
    if (collects_garbage_) return true;
    return reserved_before + recorded_[i].size > most_reserved_bytes_;
  }

  /// Decides at the last of a row of releases what they were.
  void end_of_releases(std::size_t i) {
    named_empty_cache_ = named_empty_cache_ || recorded_[i].in_empty_cache;
    released_pools_.add(recorded_[i].pool);
    const bool last = i + 1 == recorded_.size();
    if (!last && releases_segment(recorded_[i + 1])) return;
    const bool is_named = std::exchange(named_empty_cache_, false);
    const std::uint64_t reserved_before = std::exchange(releases_begun_at_, std::nullopt).value_or(0);
    const ReleasedPools::Row released = released_pools_.end();
    const bool is_for_memory = !is_named && !last && asks_for_segment(recorded_[i + 1]) &&
                               (recorded_[i].stack != no_stack || can_have_been_short(i + 1, reserved_before));
    const bool is_of_pools_alone = !is_named && !released.has_default && keeps_pools_;
    if (is_for_memory) ++result_.report.allocator_releases;
    if (!is_for_memory && !is_of_pools_alone) empty_cache();
    for (const PoolId& pool : released.private_pools) delete_pool(pool);
  }

  /// Nothing is routed then: with a pool in use the default pools would not be emptied.
  void empty_cache() {
    route_to(std::nullopt);
    ++result_.report.empty_caches;
    add({0, 0, 0, Action::empty_cache, false});
  }

  void delete_pool(PoolId pool) {
    if (!keeps_pools_) return;
    const auto number = pool_numbers_.release(pool);
    if (!number) return;
    if (routed_ == number) route_to(std::nullopt);
    add({0, *number, 0, Action::delete_pool, false});
  }

  void add_blocks_never_mentioned() {
    std::uint64_t in_use = 0;
    for (const SnapshotSegment& segment : snapshot_.segments) {
      if (segment.device != device_) continue;
      for (const SnapshotBlock& block : segment.blocks) {
        if (block.state == SnapshotBlockState::inactive) continue;
        in_use += live_.living(block.address) ? 1U : 0U;
        if (live_.ended(block.address)) ++result_.report.contradictions;
        if (live_.known(block.address)) continue;
        add_initial(block.address, block.requested_size, segment.stream, segment.pool, block.stack);
        ++in_use;
      }
    }
    // What the events left in use must be in use in the segments too.
    if (!snapshot_.segments.empty()) result_.report.contradictions += live_.living_count() - in_use;
  }

  void add_initial(std::uint64_t address, std::uint64_t size, std::uint64_t handle, PoolId pool, StackId stack) {
    const std::uint32_t id = new_id();
    live_.begin_life(address, id);
    const bool at_first = result_.report.settings.expandable_at_first;
    const bool has_other_settings = plays_changes_ && history_.of_initial_block(address).value_or(at_first) != at_first;
    const Event event{size, id, stream(handle), Action::allocate, false};
    initial_.push_back({address, event, pool_number(pool), stack, has_other_settings});
    ++result_.report.initial_blocks;
    result_.report.initial_bytes += size;
  }

  [[nodiscard]] bool starts_with_other_settings() const {
    return !initial_.empty() && initial_.front().has_other_settings;
  }

  /// What is in force when the trace begins.
  [[nodiscard]] std::string first_settings() const {
    const RecordedSettings& settings = result_.report.settings;
    if (!plays_changes_) return settings.played;
    return with_expandable_segments(settings.played, settings.expandable_at_first != starts_with_other_settings());
  }

  /// What comes before the first recorded event: pools, and blocks in them.
  void add_before_first() {
    std::vector<Event> recorded = std::exchange(events_, {});
    for (std::uint32_t pool = 0; pool < pool_numbers_.count(); ++pool) add({0, pool, 0, Action::create_pool, false});
    routed_ = std::nullopt;
    std::vector<StackId> stacks(events_.size(), no_stack);
    bool are_other_settings = starts_with_other_settings();
    for (const Initial& initial : initial_) {
      if (are_other_settings && !initial.has_other_settings) {
        set_expandable_segments(result_.report.settings.expandable_at_first);
        are_other_settings = false;
      }
      route_to(initial.pool);
      add(initial.event);
      stacks.resize(events_.size() - 1, no_stack);
      stacks.push_back(initial.stack);
    }
    route_to(std::nullopt);
    if (are_other_settings) set_expandable_segments(result_.report.settings.expandable_at_first);
    stacks.resize(events_.size(), no_stack);
    result_.stacks = std::move(stacks);
    result_.recorded_events.assign(events_.size(), Conversion::no_event);
    events_.insert(events_.end(), recorded.begin(), recorded.end());
  }

  void finish() {
    route_to(std::nullopt);
    const std::vector<std::uint32_t> positions = std::exchange(event_positions_, {});
    std::ranges::sort(initial_, {},
                      [](const Initial& initial) { return std::pair(!initial.has_other_settings, initial.address); });
    add_before_first();
    Trace& trace = result_.trace;
    trace.name = fmt::format("device {}", device_);
    trace.settings = first_settings();
    trace.stream_count = static_cast<std::uint32_t>(streams_.handles().size());
    trace.pools.resize(pool_numbers_.count());
    trace.events = std::move(events_);
    result_.report.private_pools = pool_numbers_.count();
    result_.report.settings_are_recorded = snapshot_.settings.text.has_value();
    result_.recorded_events.insert(result_.recorded_events.end(), positions.begin(), positions.end());
    for (const std::uint32_t position : positions) result_.stacks.push_back(recorded_[position].stack);
    result_.stream_handles = streams_.handles();
    const RecordedUsage usage = recorded_usage(snapshot_, device_, result_.report.initial_bytes);
    result_.report.initial_reserved_bytes = usage.initial_reserved_bytes;
    result_.report.recorded_peak_reserved_bytes = usage.peak_reserved_bytes;
    result_.report.recorded_peak_active_bytes = usage.peak_active_bytes;
    result_.report.recorded_capacity_bytes = usage.capacity_bytes;
    result_.report.recorded_capacity_is_own_limit = usage.capacity_is_own_limit;
  }

  void add(Event event) {
    events_.push_back(event);
    event_positions_.push_back(static_cast<std::uint32_t>(std::min(position_, recorded_.size() - 1)));
  }
  std::uint32_t new_id() { return result_.trace.allocation_count++; }
  std::uint16_t stream(std::uint64_t handle) { return streams_.index(handle); }

  struct Initial {
    std::uint64_t address;
    Event event;
    std::optional<std::uint32_t> pool;  ///< absent: the default ones
    StackId stack;
    bool has_other_settings;  ///< than were in force at the first event
  };

  const Snapshot& snapshot_;
  std::size_t device_;
  const Events& recorded_;
  bool keeps_pools_;
  RecordedPools recorded_pools_;
  ExpandableHistory history_;
  bool plays_changes_ = false;
  std::size_t next_change_ = 0;
  PoolNumbers pool_numbers_;
  ReleasedPools released_pools_;
  std::optional<std::uint32_t> routed_;  ///< pool that allocations go to
  bool collects_garbage_ = false;
  bool completions_recorded_ = false;
  bool named_empty_cache_ = false;
  RunningTotal reserved_;
  std::uint64_t most_reserved_bytes_;
  std::optional<std::uint64_t> releases_begun_at_;  ///< bytes that were reserved when the present row of releases began
  LiveAllocations live_;
  std::map<std::uint64_t, std::size_t> waiting_;  ///< frees whose blocks are still used: their numbers, by address
  std::set<std::size_t> unused_numbers_;          ///< below the most that were used at once
  StreamNumbers streams_;
  std::vector<Initial> initial_;
  std::size_t position_ = 0;  ///< of the recorded event being taken
  std::vector<Event> events_;
  std::vector<std::uint32_t> event_positions_;  ///< by event: which recorded one it stands for
  Conversion result_;
};

}  // namespace

Conversion convert(const Snapshot& snapshot, std::size_t device, PrivatePools pools, SettingChanges changes) {
  if (device >= snapshot.device_traces.size() || snapshot.device_traces[device].empty()) {
    throw EnvironmentError(fmt::format(
        "the snapshot holds no events of device {}: call torch.cuda.memory._record_memory_history() before the part "
        "of the program that is to be replayed, and take the snapshot after it",
        device));
  }
  return Converter(snapshot, device, pools, changes).run();
}

}  // namespace gpucheck::replay
