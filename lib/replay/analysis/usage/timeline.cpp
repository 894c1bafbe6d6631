#include "replay/analysis/usage/timeline.hpp"

#include <algorithm>
#include <numeric>

#include "replay/analysis/usage/recorded_usage.hpp"

namespace gpucheck::replay {

namespace {

/// Which of the allocations are drawn: the largest, of equal ones the earlier.
std::vector<bool> choose_largest(const std::vector<Lifetime>& lives, std::size_t most) {
  std::vector<std::uint32_t> order(lives.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::size_t count = std::min(most, lives.size());
  std::ranges::nth_element(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](std::uint32_t a, std::uint32_t b) {
                             return lives[a].size != lives[b].size ? lives[a].size > lives[b].size : a < b;
                           });
  std::vector<bool> chosen(lives.size());
  for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = true;
  return chosen;
}

class TimelineMaker {
 public:
  TimelineMaker(const Snapshot& snapshot, std::size_t device, std::size_t max_bands, std::size_t max_even_steps)
      : lifetimes_(lifetimes_of(snapshot, device)),
        is_drawn_(choose_largest(lifetimes_, max_bands)),
        reserved_(initial_reserved_bytes(snapshot, device)) {
    if (device < snapshot.device_traces.size()) events_ = &snapshot.device_traces[device];
    find_boundaries(max_even_steps);
  }

  Timeline run() {
    add_bands();
    fill_steps();
    return std::move(timeline_);
  }

 private:
  void find_boundaries(std::size_t max_even_steps) {
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
      if (!is_drawn_[i]) continue;
      if (lifetimes_[i].allocated_at != Lifetime::before_first) boundaries_.push_back(lifetimes_[i].allocated_at);
      if (lifetimes_[i].freed_at != Lifetime::never) boundaries_.push_back(lifetimes_[i].freed_at);
    }
    const std::size_t even = std::min(max_even_steps, events_->size());
    for (std::size_t i = 0; i < even; ++i) {
      boundaries_.push_back(static_cast<std::uint32_t>(i * events_->size() / even));
    }
    std::ranges::sort(boundaries_);
    boundaries_.erase(std::unique(boundaries_.begin(), boundaries_.end()), boundaries_.end());
  }

  /// Step 0 is the state before the first event; each boundary begins a new one.
  [[nodiscard]] std::uint32_t step_of(std::uint32_t event) const {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(boundaries_, event) - boundaries_.begin());
  }

  void add_bands() {
    const auto step_count = static_cast<std::uint32_t>(boundaries_.size() + 1);
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
      const Lifetime& life = lifetimes_[i];
      if (!is_drawn_[i]) {
        ++timeline_.rest_count;
        continue;
      }
      timeline_.bands.push_back({life, life.allocated_at == Lifetime::before_first ? 0 : step_of(life.allocated_at),
                                 life.freed_at == Lifetime::never ? step_count : step_of(life.freed_at)});
    }
  }

  /// By event: what the allocations that are not drawn add and take. Returns what they
  /// held before the first.
  std::uint64_t find_rest(std::vector<std::uint64_t>& changes) const {
    std::uint64_t initial = 0;
    for (std::size_t i = 0; i < lifetimes_.size(); ++i) {
      if (is_drawn_[i]) continue;
      const Lifetime& life = lifetimes_[i];
      (life.allocated_at == Lifetime::before_first ? initial : changes[life.allocated_at]) += life.size;
      if (life.freed_at != Lifetime::never) changes[life.freed_at] -= life.size;
    }
    return initial;
  }

  void fill_steps() {
    std::vector<std::uint64_t> changes(events_->size());
    RunningTotal rest(find_rest(changes));
    timeline_.steps.push_back({0, rest.now(), reserved_.now()});
    for (std::uint32_t event = 0; event < events_->size(); ++event) {
      rest.change(changes[event]);
      reserved_.change(reserved_change((*events_)[event]));
      note_out_of_memory(event);
      const std::uint32_t step = step_of_next(event);
      Timeline::Step& now = timeline_.steps[step];
      now.rest_bytes = std::max(now.rest_bytes, rest.now());
      now.reserved_bytes = std::max(now.reserved_bytes, reserved_.now());
    }
  }

  /// The step that the event lies in; begins it where the event is its first.
  std::uint32_t step_of_next(std::uint32_t event) {
    const std::size_t next = timeline_.steps.size() - 1;
    if (next < boundaries_.size() && boundaries_[next] == event) timeline_.steps.push_back({event, 0, 0});
    return static_cast<std::uint32_t>(timeline_.steps.size() - 1);
  }

  void note_out_of_memory(std::uint32_t event) {
    const SnapshotEvent& recorded = (*events_)[event];
    if (recorded.action != SnapshotAction::out_of_memory) return;
    timeline_.out_of_memory.push_back({event, step_of(event), recorded.size, recorded.address});
  }

  inline static const std::vector<SnapshotEvent> no_events_{};
  std::vector<Lifetime> lifetimes_;
  std::vector<bool> is_drawn_;
  RunningTotal reserved_;
  const std::vector<SnapshotEvent>* events_ = &no_events_;
  std::vector<std::uint32_t> boundaries_;  ///< events that begin a step, in order
  Timeline timeline_;
};

}  // namespace

Timeline timeline_of(const Snapshot& snapshot, std::size_t device, std::size_t max_bands, std::size_t max_even_steps) {
  return TimelineMaker(snapshot, device, max_bands, max_even_steps).run();
}

}  // namespace gpucheck::replay
