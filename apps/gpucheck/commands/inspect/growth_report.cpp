#include "commands/inspect/growth_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/replay/recorded_document.hpp"
#include "output/document.hpp"
#include "output/text_table.hpp"
#include "output/version.hpp"
#include "replay/analysis/telling_frames.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;
using replay::DeviceGrowth;
using replay::StackGrowth;

/// "+1.50 GiB", "-20.00 MiB", "0 bytes".
std::string change_text(std::uint64_t before, std::uint64_t after) {
  if (before == after) return format_bytes(0);
  return after > before ? fmt::format("+{}", format_bytes(after - before))
                        : fmt::format("-{}", format_bytes(before - after));
}

/// The first rows of those that grew, the last of those that shrank.
std::vector<StackGrowth> shown_rows(const DeviceGrowth& device) {
  constexpr std::size_t most = 20;
  std::vector<StackGrowth> grown;
  std::vector<StackGrowth> shrunk;
  for (const StackGrowth& stack : device.by_stack) {
    if (stack.bytes_after > stack.bytes_before) grown.push_back(stack);
    if (stack.bytes_after < stack.bytes_before) shrunk.push_back(stack);
  }
  grown.resize(std::min(grown.size(), most));
  const std::size_t left = std::min(shrunk.size(), most / 2);
  grown.insert(grown.end(), shrunk.end() - static_cast<std::ptrdiff_t>(left), shrunk.end());
  return grown;
}

std::string stacks_text(const DeviceGrowth& device, const replay::StackTable& stacks) {
  const std::vector<StackGrowth> shown = shown_rows(device);
  if (shown.empty()) return "  No stack has more or less in use than before.\n";
  std::vector<replay::StackId> ids;
  ids.reserve(shown.size());
  for (const StackGrowth& stack : shown) ids.push_back(stack.stack);
  const std::vector<std::string> names = replay::telling_frames(stacks, ids);
  std::vector<TextRow> rows{{"in use, by stack", "before", "after", "grew", "blocks before", "blocks after"}};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const StackGrowth& stack = shown[i];
    rows.push_back({names[i].empty() ? "(no stack recorded)" : one_line(names[i], 160),
                    format_bytes(stack.bytes_before), format_bytes(stack.bytes_after),
                    change_text(stack.bytes_before, stack.bytes_after), fmt::format("{}", stack.count_before),
                    fmt::format("{}", stack.count_after)});
  }
  const auto changed = static_cast<std::size_t>(std::ranges::count_if(
      device.by_stack, [](const StackGrowth& stack) { return stack.bytes_before != stack.bytes_after; }));
  std::string text = text_table(rows, 1, "  ");
  if (changed > shown.size()) {
    text += fmt::format("  and {} that changed by less\n", count_text(changed - shown.size(), "stack"));
  }
  return text;
}

std::string name_of(const DeviceGrowth& device) {
  if (!device.device_before) return fmt::format("device {}, which only the second holds", *device.device_after);
  if (!device.device_after) return fmt::format("device {}, which only the first holds", *device.device_before);
  if (device.device_before == device.device_after) return fmt::format("device {}", *device.device_before);
  return fmt::format("device {} of the first and {} of the second", *device.device_before, *device.device_after);
}

std::string device_text(const DeviceGrowth& device, const replay::StackTable& stacks) {
  const std::uint64_t used_before = device.before.allocated_bytes + device.before.pending_free_bytes;
  const std::uint64_t used_after = device.after.allocated_bytes + device.after.pending_free_bytes;
  const std::vector<TextRow> rows{
      {"", "before", "after", "grew"},
      {"reserved", format_bytes(device.before.reserved_bytes), format_bytes(device.after.reserved_bytes),
       change_text(device.before.reserved_bytes, device.after.reserved_bytes)},
      {"in use", format_bytes(used_before), format_bytes(used_after), change_text(used_before, used_after)},
      {"inactive", format_bytes(device.before.inactive_bytes), format_bytes(device.after.inactive_bytes),
       change_text(device.before.inactive_bytes, device.after.inactive_bytes)}};
  return fmt::format("\n{}:\n{}\n{}", name_of(device), text_table(rows, 1, "  "), stacks_text(device, stacks));
}

Json sums_json(const replay::PoolUsage& usage) {
  return {{"segment_count", usage.segment_count},
          {"block_count", usage.block_count},
          {"reserved_bytes", usage.reserved_bytes},
          {"in_use_bytes", usage.allocated_bytes + usage.pending_free_bytes},
          {"inactive_bytes", usage.inactive_bytes}};
}

Json stack_json(const StackGrowth& growth, const replay::StackTable& stacks) {
  Json json{{"grew_bytes", static_cast<std::int64_t>(growth.bytes_after - growth.bytes_before)},
            {"bytes_before", growth.bytes_before},
            {"bytes_after", growth.bytes_after},
            {"block_count_before", growth.count_before},
            {"block_count_after", growth.count_after},
            {"stack", application::stack_json(stacks, growth.stack)}};
  return json;
}

/// At most so many stacks from either end: those in between changed least.
constexpr std::size_t most_from_either_end = 200;

Json device_json(const DeviceGrowth& device, const replay::StackTable& stacks) {
  Json json{{"device_before", or_null(device.device_before)},
            {"device_after", or_null(device.device_after)},
            {"before", sums_json(device.before)},
            {"after", sums_json(device.after)},
            {"by_stack", Json::array()}};
  for (std::size_t i = 0; i < device.by_stack.size(); ++i) {
    const bool is_at_an_end = i < most_from_either_end || device.by_stack.size() - i <= most_from_either_end;
    if (is_at_an_end && device.by_stack[i].has_changed())
      json["by_stack"].push_back(stack_json(device.by_stack[i], stacks));
  }
  return json;
}

}  // namespace

std::string growth_text(const replay::Growth& growth, const std::string& before, const std::string& after) {
  std::string text = fmt::format("before: {}\nafter:  {}\n", one_line(before, 200), one_line(after, 200));
  for (const DeviceGrowth& device : growth.devices) text += device_text(device, growth.stacks);
  if (growth.stacks.stacks.size() == 1) {
    text += "\nThe files hold no stacks: record with context=\"all\" to see where this is allocated.\n";
  }
  return text;
}

std::string growth_document(const replay::Growth& growth, const std::string& before, const std::string& after) {
  Json document{{"schema", "gpucheck.snapshot_growth/1"},
                {"version", build_information().version},
                {"file_before", before},
                {"file_after", after},
                {"devices", Json::array()}};
  for (const DeviceGrowth& device : growth.devices) document["devices"].push_back(device_json(device, growth.stacks));
  return document_text(document);
}

}  // namespace gpucheck::application
