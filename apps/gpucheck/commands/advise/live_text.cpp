#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/advise/advice_report.hpp"
#include "output/text_table.hpp"
#include "replay/analysis/telling_frames.hpp"

namespace gpucheck::application {

namespace {

using replay::LiveGroup;

constexpr std::size_t most_rows = 10;

std::span<const LiveGroup> with_rows(const std::vector<LiveGroup>& groups) {
  return std::span(groups).first(std::min(groups.size(), most_rows));
}

/// Where the groups that have a row were allocated.
std::vector<std::string> stack_names(const std::vector<LiveGroup>& groups, const replay::StackTable& stacks) {
  std::vector<replay::StackId> shown;
  for (const LiveGroup& group : with_rows(groups)) shown.push_back(group.stack);
  std::vector<std::string> names = replay::telling_frames(stacks, shown);
  for (std::string& name : names) name = name.empty() ? "(no stack recorded)" : one_line(name, 160);
  return names;
}

template <typename Name>
std::vector<std::string> names_of(const std::vector<LiveGroup>& groups, Name&& name) {
  std::vector<std::string> names;
  for (const LiveGroup& group : with_rows(groups)) names.push_back(name(group));
  return names;
}

/// The largest groups, and a last line for the others.
std::string groups_text(const std::string& title, const std::vector<LiveGroup>& groups, std::uint64_t whole,
                        const std::vector<std::string>& names) {
  std::vector<TextRow> rows{{title, "allocations", "allocated", "share"}};
  LiveGroup rest;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < most_rows) {
      rows.push_back({names[i], fmt::format("{}", groups[i].count), format_bytes(groups[i].bytes),
                      format_share(groups[i].bytes, whole)});
      continue;
    }
    rest.bytes += groups[i].bytes;
    rest.count += groups[i].count;
  }
  if (rest.count > 0) {
    rows.push_back({fmt::format("{} others", groups.size() - most_rows), fmt::format("{}", rest.count),
                    format_bytes(rest.bytes), format_share(rest.bytes, whole)});
  }
  return fmt::format("\n{}", text_table(rows, 1, "  "));
}

}  // namespace

std::string live_text(const replay::Advice& advice, const replay::StackTable& stacks) {
  const replay::LiveAtPeak& live = advice.live;
  if (live.bytes == 0) return "";
  const std::uint32_t event = advice.recorded_events[live.step];
  const std::string place =
      event == replay::Conversion::no_event ? "before the first event" : fmt::format("after event {}", event);
  std::string text = fmt::format("\n  Live at the peak of what is allocated, {}: {} in {} (as asked for)\n", place,
                                 format_bytes(live.bytes), count_text(live.count, "allocation"));
  const bool has_stacks =
      std::ranges::any_of(live.by_stack, [](const LiveGroup& group) { return group.stack != replay::no_stack; });
  if (has_stacks) {
    text += groups_text("by stack", live.by_stack, live.bytes, stack_names(live.by_stack, stacks));
  } else {
    text += "  The file holds no stacks: record with context=\"all\" to see where this is allocated.\n";
  }
  text += groups_text("by size", live.by_size, live.bytes,
                      names_of(live.by_size, [](const LiveGroup& group) { return format_bytes(group.size_bytes); }));
  text += groups_text("by class of size", live.by_class, live.bytes,
                      names_of(live.by_class, [](const LiveGroup& group) { return group.name; }));
  return text;
}

}  // namespace gpucheck::application
