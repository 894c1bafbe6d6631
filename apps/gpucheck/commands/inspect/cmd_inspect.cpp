#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files/output_file.hpp"
#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "commands/commands.hpp"
#include "commands/inspect/growth_report.hpp"
#include "commands/replay/recorded_document.hpp"
#include "output/distinct_files.hpp"
#include "output/document.hpp"
#include "output/terminal.hpp"
#include "output/text_table.hpp"
#include "output/version.hpp"
#include "replay/analysis/object_names.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/analysis/telling_frames.hpp"
#include "replay/analysis/usage/recorded_usage.hpp"
#include "replay/formats/file.hpp"
#include "replay/page/snapshot_page.hpp"
#include "replay/settings/recorded_settings.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;
using replay::DeviceSummary;
using replay::ObjectNames;
using replay::PoolUsage;
using replay::Snapshot;

/// Nothing of it is worth a table: no memory, and no event but such as mark a moment.
bool is_idle(const Snapshot& snapshot, std::size_t device) {
  const auto is_of = [device](const replay::SnapshotSegment& segment) { return segment.device == device; };
  return std::ranges::none_of(snapshot.segments, is_of) && !replay::has_playable_event(snapshot, device);
}

std::vector<std::size_t> devices_left_out(const Snapshot& snapshot) {
  std::vector<std::size_t> devices = replay::idle_devices(snapshot);
  std::erase_if(devices, [&](std::size_t device) { return !is_idle(snapshot, device); });
  return devices;
}

std::vector<std::size_t> devices_to_show(const Snapshot& snapshot, const InspectOptions& options) {
  std::vector<std::size_t> devices = replay::devices_of(snapshot);
  if (!options.recorded_device) std::erase_if(devices, [&](std::size_t device) { return is_idle(snapshot, device); });
  if (devices.empty()) {
    throw EnvironmentError(options.file + ": the snapshot holds neither segments nor events: there is nothing to show");
  }
  if (!options.recorded_device) return devices;
  const auto wanted = static_cast<std::size_t>(*options.recorded_device);
  if (std::ranges::find(devices, wanted) != devices.end()) return {wanted};
  throw EnvironmentError(fmt::format("{}: the snapshot holds nothing of device {}", options.file, wanted));
}

TextRow usage_row(std::string name, const PoolUsage& usage) {
  return {std::move(name),
          fmt::format("{}", usage.segment_count),
          format_bytes(usage.reserved_bytes),
          format_bytes(usage.allocated_bytes),
          format_bytes(usage.requested_bytes),
          format_bytes(usage.pending_free_bytes),
          format_bytes(usage.inactive_bytes),
          format_share(usage.inactive_bytes, usage.reserved_bytes),
          format_bytes(usage.largest_inactive_bytes)};
}

std::string pools_text(const DeviceSummary& summary, const ObjectNames& names) {
  constexpr std::size_t max_rows = 40;
  std::vector<TextRow> rows{
      {"pool", "segments", "reserved", "allocated", "asked for", "waiting", "inactive", "share", "largest inactive"},
      usage_row("all", summary.total)};
  for (std::size_t i = 0; i < std::min(max_rows, summary.pools.size()); ++i) {
    const PoolUsage& pool = summary.pools[i];
    const char* const size_class = pool.is_large ? "large" : "small";
    rows.push_back(usage_row(
        fmt::format("{}, {}, stream {}", names.pool(pool.pool), size_class, one_line(names.stream(pool.stream), 80)),
        pool));
  }
  std::string text = text_table(rows, 1, "  ");
  if (summary.pools.size() > max_rows) text += fmt::format("  and {} more\n", summary.pools.size() - max_rows);
  return text;
}

std::string largest_text(const DeviceSummary& summary, const ObjectNames& names, const replay::StackTable& stacks) {
  if (summary.largest.empty()) return "";
  std::vector<TextRow> rows{{"largest in use", "at", "pool", "allocated in"}};
  std::vector<replay::StackId> used_in;
  for (const DeviceSummary::Use& use : summary.largest) used_in.push_back(use.block.stack);
  const std::vector<std::string> frames = replay::telling_frames(stacks, used_in);
  for (std::size_t i = 0; i < summary.largest.size(); ++i) {
    const DeviceSummary::Use& use = summary.largest[i];
    rows.push_back({format_bytes(use.block.size), fmt::format("0x{:x}", use.block.address), names.pool(use.pool),
                    one_line(frames[i], 160)});
  }
  return fmt::format("\n{}", text_table(rows, 4, "  "));
}

std::string device_text(const Snapshot& snapshot, const DeviceSummary& summary) {
  const ObjectNames names(snapshot, summary.device);
  return fmt::format("\ndevice {}: {}, {}, {}\n", summary.device, count_text(summary.total.segment_count, "segment"),
                     count_text(summary.total.block_count, "block"), count_text(summary.event_count, "event")) +
         pools_text(summary, names) + largest_text(summary, names, snapshot.stacks);
}

/// The settings are the process's, but each device's segments say for themselves what was in force.
std::string settings_remarks(const Snapshot& snapshot, const std::vector<std::size_t>& devices) {
  std::string text;
  std::map<std::string, std::vector<std::size_t>> devices_by_remark;
  for (const std::size_t device : devices) {
    replay::RecordedSettings settings = replay::recorded_settings(snapshot, device);
    if (device == devices.front()) {
      for (const replay::SettingsItem& item : settings.skipped) {
        text +=
            fmt::format("            {} is not known here (PyTorch 2.11's settings are)\n", one_line(item.text, 200));
      }
    }
    if (!settings.change.empty()) settings.remarks.push_back(settings.change);
    for (const std::string& remark : settings.remarks) devices_by_remark[remark].push_back(device);
  }
  for (const auto& [remark, named] : devices_by_remark) {
    const bool is_of_all = named.size() == devices.size();
    text += fmt::format("            {}{}\n", is_of_all ? "" : fmt::format("device {}: ", fmt::join(named, ", ")),
                        one_line(remark, 600));
  }
  return text;
}

std::string snapshot_text(const Snapshot& snapshot, const std::string& file, const std::vector<std::size_t>& devices) {
  const auto& settings = snapshot.settings.text;
  std::string text = fmt::format("{}\n  settings: {}\n", one_line(file, 200),
                                 !settings           ? "(the file does not say)"
                                 : settings->empty() ? "(defaults)"
                                                     : one_line(*settings, 200));
  text += settings_remarks(snapshot, devices);
  for (const std::size_t device : devices) text += device_text(snapshot, replay::summarize(snapshot, device));
  if (const std::string idle = replay::idle_devices_text(devices_left_out(snapshot)); !idle.empty())
    text += "\n" + idle + "\n";
  return text;
}

Json usage_json(const PoolUsage& usage) {
  return {{"segment_count", usage.segment_count},     {"block_count", usage.block_count},
          {"reserved_bytes", usage.reserved_bytes},   {"allocated_bytes", usage.allocated_bytes},
          {"requested_bytes", usage.requested_bytes}, {"pending_free_bytes", usage.pending_free_bytes},
          {"inactive_bytes", usage.inactive_bytes},   {"largest_inactive_bytes", usage.largest_inactive_bytes}};
}

/// What the file says of the pool's stream and users; PyTorch's files say nothing.
void add_known(Json& json, const PoolUsage& pool, const ObjectNames& names) {
  if (const replay::SnapshotStream* stream = names.find_stream(pool.stream)) {
    json["stream_id"] = stream->id;
    json["stream_name"] = stream->name;
  }
  if (const replay::SnapshotPool* uses = names.find_pool(pool.pool)) {
    json["use_count"] = uses->use_count;
    json["graphs"] = uses->graphs;
  }
}

Json pool_json(const PoolUsage& pool, const ObjectNames& names) {
  Json json{{"pool", {pool.pool.first, pool.pool.second}},
            {"is_private", pool.pool != replay::PoolId{0, 0}},
            {"stream", pool.stream},
            {"size_class", pool.is_large ? "large" : "small"}};
  add_known(json, pool, names);
  json.update(usage_json(pool));
  return json;
}

Json use_json(const DeviceSummary::Use& use, const replay::StackTable& stacks) {
  const bool waits = use.block.state == replay::SnapshotBlockState::active_pending_free;
  Json json{{"size_bytes", use.block.size},
            {"requested_bytes", use.block.requested_size},
            {"address", use.block.address},
            {"state", waits ? "active_pending_free" : "active_allocated"},
            {"stream", use.stream},
            {"pool", {use.pool.first, use.pool.second}},
            {"stack", stack_json(stacks, use.block.stack)}};
  return json;
}

Json device_json(const Snapshot& snapshot, std::size_t device) {
  const DeviceSummary summary = replay::summarize(snapshot, device);
  const ObjectNames names(snapshot, device);
  Json json{{"device", device},
            {"event_count", summary.event_count},
            {"total", usage_json(summary.total)},
            {"pools", Json::array()},
            {"largest", Json::array()}};
  for (const PoolUsage& pool : summary.pools) json["pools"].push_back(pool_json(pool, names));
  for (const DeviceSummary::Use& use : summary.largest) json["largest"].push_back(use_json(use, snapshot.stacks));
  return json;
}

std::string snapshot_document(const Snapshot& snapshot, const std::string& file,
                              const std::vector<std::size_t>& devices) {
  Json document{{"schema", "gpucheck.snapshot/1"},
                {"version", build_information().version},
                {"file", file},
                {"settings", snapshot.settings.text ? Json(*snapshot.settings.text) : Json(nullptr)},
                {"devices", Json::array()}};
  for (const std::size_t device : devices) document["devices"].push_back(device_json(snapshot, device));
  return document_text(document);
}

}  // namespace

namespace {

int compare(const InspectOptions& options) {
  if (!options.html_path.empty()) throw UsageError("--compare and --html: a page shows one snapshot");
  std::optional<std::size_t> device;
  if (options.recorded_device) device = static_cast<std::size_t>(*options.recorded_device);
  const Snapshot before = replay::read_snapshot_file(options.file);
  const Snapshot after = replay::read_snapshot_file(options.compared_file);
  const replay::Growth growth = replay::growth_between(before, after, device);
  if (options.json) {
    print_document(growth_document(growth, options.file, options.compared_file));
  } else {
    print(growth_text(growth, options.file, options.compared_file));
  }
  return 0;
}

}  // namespace

int inspect(const Environment& /*environment*/, const InspectOptions& options) {
  if (!options.compared_file.empty()) return compare(options);
  const bool page_on_stdout = options.html_path == "-";
  if (options.json && page_on_stdout) {
    throw UsageError("--json and --html - both write to stdout: name a file for the page");
  }
  check_distinct(std::array{NamedFile{"--html", options.html_path}},
                 std::array{NamedFile{"the snapshot that it shows", options.file}});
  const Snapshot snapshot = replay::read_snapshot_file(options.file);
  const std::vector<std::size_t> devices = devices_to_show(snapshot, options);
  if (!options.html_path.empty()) {
    OutputFile page(options.html_path, "page");
    page.commit(replay::snapshot_page(snapshot, std::filesystem::path(options.file).filename().string(), devices));
  }
  if (options.json) {
    print_document(snapshot_document(snapshot, options.file, devices));
  } else if (!page_on_stdout) {
    print(snapshot_text(snapshot, options.file, devices));
  }
  return 0;
}

}  // namespace gpucheck::application
