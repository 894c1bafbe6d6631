#include "replay/analysis/growth.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>

#include "base/error.hpp"

namespace gpucheck::replay {

namespace {

/// The stacks of several tables in one, each different one once.
class JoinedStacks {
 public:
  /// By StackId of `table`: which stack of the joined table that is. `table` has to outlive this.
  std::vector<StackId> add(const StackTable& table) {
    std::vector<std::uint32_t> frames;
    for (const StackFrame& frame : table.frames) frames.push_back(number_of(frame));
    std::vector<StackId> stacks;
    for (const std::vector<std::uint32_t>& places : table.stacks) {
      std::vector<std::uint32_t> joined;
      for (const std::uint32_t place : places) joined.push_back(frames[place]);
      const auto [entry, is_new] = stacks_.try_emplace(joined, static_cast<StackId>(joined_.stacks.size()));
      if (is_new) joined_.stacks.push_back(std::move(joined));
      stacks.push_back(entry->second);
    }
    return stacks;
  }
  [[nodiscard]] StackTable release() { return std::move(joined_); }

 private:
  std::uint32_t number_of(const StackFrame& frame) {
    const auto [entry, is_new] = frames_.try_emplace({frame.name, frame.filename, frame.line},
                                                     static_cast<std::uint32_t>(joined_.frames.size()));
    if (is_new)
      joined_.frames.push_back({joined_.texts.add(frame.name), joined_.texts.add(frame.filename), frame.line});
    return entry->second;
  }

  StackTable joined_;
  std::map<std::tuple<std::string_view, std::string_view, std::int64_t>, std::uint32_t> frames_;
  std::map<std::vector<std::uint32_t>, StackId> stacks_{{{}, no_stack}};
};

/// Calls `follow` with each block in use.
template <typename Follow>
void follow_used(const Snapshot& snapshot, std::size_t device, PoolUsage& total, Follow&& follow) {
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device != device) continue;
    total.add(segment);
    for (const SnapshotBlock& block : segment.blocks) {
      if (block.state != SnapshotBlockState::inactive) follow(block);
    }
  }
}

std::vector<std::size_t> devices_with_segments(const Snapshot& snapshot, std::optional<std::size_t> device) {
  std::vector<std::size_t> devices = devices_of(snapshot);
  std::erase_if(devices, [&](std::size_t each) {
    const bool is_wanted = !device || *device == each;
    return !is_wanted ||
           std::ranges::find(snapshot.segments, each, &SnapshotSegment::device) == snapshot.segments.end();
  });
  return devices;
}

using Pair = std::pair<std::optional<std::size_t>, std::optional<std::size_t>>;

std::vector<Pair> pairs_of(const std::vector<std::size_t>& before, const std::vector<std::size_t>& after) {
  if (before.size() == 1 && after.size() == 1) return {{before.front(), after.front()}};
  std::map<std::size_t, Pair> pairs;
  for (const std::size_t device : before) pairs[device].first = device;
  for (const std::size_t device : after) pairs[device].second = device;
  std::vector<Pair> list;
  for (const auto& [device, pair] : pairs) list.push_back(pair);
  return list;
}

}  // namespace

Growth growth_between(const Snapshot& before, const Snapshot& after, std::optional<std::size_t> device) {
  JoinedStacks joined;
  const std::vector<StackId> stacks_before = joined.add(before.stacks);
  const std::vector<StackId> stacks_after = joined.add(after.stacks);
  Growth growth;
  for (const Pair& pair : pairs_of(devices_with_segments(before, device), devices_with_segments(after, device))) {
    DeviceGrowth& one = growth.devices.emplace_back();
    std::map<StackId, StackGrowth> by_stack;
    std::tie(one.device_before, one.device_after) = pair;
    if (pair.first) {
      follow_used(before, *pair.first, one.before, [&](const SnapshotBlock& block) {
        StackGrowth& stack = by_stack[stacks_before[block.stack]];
        stack.bytes_before += block.size;
        ++stack.count_before;
      });
    }
    if (pair.second) {
      follow_used(after, *pair.second, one.after, [&](const SnapshotBlock& block) {
        StackGrowth& stack = by_stack[stacks_after[block.stack]];
        stack.bytes_after += block.size;
        ++stack.count_after;
      });
    }
    for (auto& [id, stack] : by_stack) {
      stack.stack = id;
      one.by_stack.push_back(stack);
    }
    // What wraps around as unsigned is right as signed: no device has 2^63 bytes.
    std::ranges::stable_sort(one.by_stack, std::ranges::greater{}, [](const StackGrowth& stack) {
      return static_cast<std::int64_t>(stack.bytes_after - stack.bytes_before);
    });
  }
  if (growth.devices.empty()) {
    throw EnvironmentError(device ? fmt::format("neither snapshot holds segments of device {}", *device)
                                  : std::string("neither snapshot holds segments: there is nothing to compare"));
  }
  growth.stacks = joined.release();
  return growth;
}

}  // namespace gpucheck::replay
