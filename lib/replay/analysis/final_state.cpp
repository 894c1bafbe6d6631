#include "replay/analysis/final_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gpucheck::replay {

namespace {

constexpr const char* absent = "absent";

void add(Comparison& result, std::string what, std::string expected, std::string seen) {
  if (++result.final_difference_count > max_final_differences) return;
  result.final_differences.push_back({std::move(what), std::move(expected), std::move(seen)});
}

void compare_statistics(const Trace& trace, ComparableTarget& target, Comparison& result) {
  std::map<std::string, std::pair<std::string, std::string>> rows;
  for (const auto& [name, value] : trace.final_statistics) rows[name] = {fmt::format("{}", value), absent};
  for (const auto& [name, value] : target.statistics()) {
    rows.try_emplace(name, absent, absent).first->second.second = fmt::format("{}", value);
  }
  result.final_statistics_compared = rows.size();
  for (const auto& [name, row] : rows) {
    if (row.first != row.second) add(result, name, row.first, row.second);
  }
}

std::string describe(const SegmentLayout& segment) {
  return fmt::format("{} segment of {} bytes on {} with {} blocks", segment.is_large ? "large" : "small", segment.size,
                     segment.on_default_stream ? "the default stream" : "another stream", segment.blocks.size());
}

std::string describe(const BlockLayout& block) {
  return fmt::format("{} bytes, {} requested, {}", block.size, block.requested_size, block.state);
}

void compare_segment(std::size_t index, const SegmentLayout& expected, const SegmentLayout& seen, Comparison& result) {
  if (expected == seen) return;
  const std::string name = fmt::format("segment {}", index);
  if (describe(expected) != describe(seen)) return add(result, name, describe(expected), describe(seen));
  for (std::size_t i = 0; i < expected.blocks.size(); ++i) {
    if (expected.blocks[i] == seen.blocks[i]) continue;
    return add(result, fmt::format("{}, block {}", name, i), describe(expected.blocks[i]), describe(seen.blocks[i]));
  }
}

void compare_segments(std::vector<SegmentLayout> expected, std::vector<SegmentLayout> seen, Comparison& result) {
  result.final_segments_compared = std::max(expected.size(), seen.size());
  if (expected == seen) return;
  // Where the device puts its segments is its own affair: the same ones in another order
  // of addresses are equal.
  std::ranges::sort(expected);
  std::ranges::sort(seen);
  if (expected.size() != seen.size()) {
    add(result, "segments", fmt::format("{}", expected.size()), fmt::format("{}", seen.size()));
  }
  for (std::size_t i = 0; i < std::min(expected.size(), seen.size()); ++i) {
    compare_segment(i, expected[i], seen[i], result);
  }
}

}  // namespace

void compare_final_state(const Trace& trace, ComparableTarget& target, Comparison& result) {
  if (!trace.final_statistics.empty()) compare_statistics(trace, target, result);
  if (trace.final_segments) compare_segments(*trace.final_segments, target.segments(), result);
}

}  // namespace gpucheck::replay
