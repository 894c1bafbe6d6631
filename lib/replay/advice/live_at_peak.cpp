#include "replay/advice/live_at_peak.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "base/text/units.hpp"
#include "replay/analysis/usage/recorded_usage.hpp"

namespace gpucheck::replay {

namespace {

struct SizeClass {
  std::uint64_t above_bytes;
  const char* name;
};
/// The first two bounds are the caching allocator's own.
constexpr std::array size_classes{
    SizeClass{1_GiB, "above 1 GiB"},
    SizeClass{100_MiB, "100 MiB to 1 GiB"},
    SizeClass{10_MiB, "10 MiB to 100 MiB"},
    SizeClass{1_MiB, "1 MiB to 10 MiB"},
    SizeClass{0, "up to 1 MiB"},
};

bool allocates(const Event& event) { return event.action == Action::allocate || event.action == Action::try_allocate; }

bool ends(const Event& event) { return frees(event.action) || event.action == Action::try_allocate; }

/// Calls `follow(step, allocated bytes)` after each allocation, up to `end`.
template <typename Follow>
std::vector<std::uint32_t> follow_allocations(const Trace& trace, std::size_t end, Follow&& follow) {
  std::vector<std::uint32_t> step_of(trace.allocation_count, Trace::no_expectation);
  RunningTotal allocated;
  for (std::size_t step = 0; step < end; ++step) {
    const Event& event = trace.events[step];
    if (allocates(event)) {
      step_of[event.id] = static_cast<std::uint32_t>(step);
      allocated.change(event.size);
      follow(step, allocated.now());
    }
    const bool is_last = step + 1 == end;  // a try is live as long as its step
    if (!ends(event) || step_of[event.id] == Trace::no_expectation || (is_last && allocates(event))) continue;
    allocated.change(0 - trace.events[step_of[event.id]].size);
    step_of[event.id] = Trace::no_expectation;
  }
  return step_of;
}

void add(LiveGroup& group, std::uint64_t bytes) {
  group.bytes += bytes;
  ++group.count;
}

template <typename Groups>
std::vector<LiveGroup> largest_first(Groups&& groups) {
  std::vector<LiveGroup> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::ranges::sort(sorted, [](const LiveGroup& a, const LiveGroup& b) {
    return std::tuple(b.bytes, a.stack, a.size_bytes) < std::tuple(a.bytes, b.stack, b.size_bytes);
  });
  return sorted;
}

}  // namespace

LiveAtPeak live_at_peak(const Trace& trace, const std::vector<StackId>& stacks) {
  LiveAtPeak live;
  follow_allocations(trace, trace.events.size(), [&live](std::size_t step, std::uint64_t bytes) {
    if (bytes <= live.bytes) return;
    live.bytes = bytes;
    live.step = step;
  });
  if (live.bytes == 0) return live;
  std::unordered_map<StackId, LiveGroup> by_stack;
  std::unordered_map<std::uint64_t, LiveGroup> by_size;
  std::map<std::string, LiveGroup> by_class;
  for (const std::uint32_t step : follow_allocations(trace, live.step + 1, [](std::size_t, std::uint64_t) {})) {
    if (step == Trace::no_expectation) continue;
    const std::uint64_t size = trace.events[step].size;
    const StackId stack = step < stacks.size() ? stacks[step] : no_stack;
    const std::string name =
        std::ranges::find_if(size_classes.begin(), size_classes.end() - 1, [size](const SizeClass& each) {
          return size > each.above_bytes;
        })->name;
    ++live.count;
    add(by_stack.try_emplace(stack, LiveGroup{.stack = stack}).first->second, size);
    add(by_size.try_emplace(size, LiveGroup{.size_bytes = size}).first->second, size);
    add(by_class.try_emplace(name, LiveGroup{.name = name}).first->second, size);
  }
  live.by_stack = largest_first(by_stack);
  live.by_size = largest_first(by_size);
  live.by_class = largest_first(by_class);
  return live;
}

}  // namespace gpucheck::replay
