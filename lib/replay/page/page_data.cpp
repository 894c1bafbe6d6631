#include "replay/page/page_data.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>

#include "base/text/sanitize.hpp"
#include "replay/analysis/object_names.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/analysis/usage/timeline.hpp"

namespace gpucheck::replay {

namespace {

using Json = nlohmann::ordered_json;

/// JavaScript's numbers hold 53 bits, addresses and handles have 64.
std::string hexadecimal(std::uint64_t number) { return fmt::format("0x{:x}", number); }

std::string stream_text(const ObjectNames& names, std::uint64_t handle) { return one_line(names.stream(handle), 80); }

Json event_or_null(std::uint32_t event) {
  static_assert(Lifetime::before_first == Lifetime::never);
  return event == Lifetime::never ? Json(nullptr) : Json(event);
}

/// The stacks that the page names, each once.
class StackNumbers {
 public:
  StackNumbers(const StackTable& table, std::size_t max_frames) : table_(table), max_frames_(max_frames) {}

  Json number(StackId stack) {
    if (stack == no_stack) return nullptr;
    const auto [entry, is_new] = numbers_.try_emplace(stack, stacks_.size());
    if (is_new) add(stack);
    return entry->second;
  }
  [[nodiscard]] Json release_stacks() { return std::move(stacks_); }
  [[nodiscard]] Json release_frames() { return std::move(frames_); }

 private:
  void add(StackId stack) {
    const std::vector<std::uint32_t>& places = table_.stacks[stack];
    Json list = Json::array();
    for (std::size_t i = 0; i < std::min(places.size(), max_frames_); ++i) list.push_back(frame(places[i]));
    if (places.size() > max_frames_) list.push_back(text(fmt::format("and {} more", places.size() - max_frames_)));
    stacks_.push_back(std::move(list));
  }
  std::size_t frame(std::uint32_t place) {
    const auto [entry, is_new] = frame_numbers_.try_emplace(place, frames_.size());
    if (!is_new) return entry->second;
    const StackFrame& frame = table_.frames[place];
    return text(fmt::format("{} ({}:{})", shortened(frame.name), shortened(frame.filename), frame.line));
  }
  std::size_t text(std::string words) {
    frames_.push_back(std::move(words));
    return frames_.size() - 1;
  }
  static std::string shortened(std::string_view words) { return one_line(words, 500); }

  const StackTable& table_;
  std::size_t max_frames_;
  std::unordered_map<StackId, std::size_t> numbers_;
  std::unordered_map<std::uint32_t, std::size_t> frame_numbers_;
  Json stacks_ = Json::array();
  Json frames_ = Json::array();
};

Json timeline_json(const Snapshot& snapshot, std::size_t device, const ObjectNames& names, const PageLimits& limits,
                   StackNumbers& stacks) {
  const Timeline timeline = timeline_of(snapshot, device, limits.bands, limits.even_steps);
  const bool has_events = device < snapshot.device_traces.size() && !snapshot.device_traces[device].empty();
  const std::int64_t start = has_events ? snapshot.device_traces[device].front().time_us : 0;
  Json bands = Json::array();
  for (const Timeline::Band& band : timeline.bands) {
    const Lifetime& life = band.lifetime;
    bands.push_back({life.size, hexadecimal(life.address), stream_text(names, life.stream), names.pool(life.pool),
                     band.first_step, band.end_step, event_or_null(life.allocated_at), event_or_null(life.freed_at),
                     stacks.number(life.stack)});
  }
  Json steps = Json::array();
  for (const Timeline::Step& step : timeline.steps) {
    const double time = has_events ? static_cast<double>(snapshot.device_traces[device][step.first_event].time_us) -
                                         static_cast<double>(start)
                                   : 0;
    steps.push_back({step.first_event, step.rest_bytes, step.reserved_bytes, time});
  }
  Json failures = Json::array();
  for (std::size_t i = 0; i < std::min(limits.failures, timeline.out_of_memory.size()); ++i) {
    const Timeline::OutOfMemory& failure = timeline.out_of_memory[i];
    const bool tells_free = failure.device_free <= INT64_MAX;  // above: -1, which is not a size
    failures.push_back(
        {failure.event, failure.step, failure.size, tells_free ? Json(failure.device_free) : Json(nullptr)});
  }
  return {{"bands", std::move(bands)},
          {"steps", std::move(steps)},
          {"failures", std::move(failures)},
          {"rest_count", timeline.rest_count},
          {"failure_count", timeline.out_of_memory.size()},
          {"event_count", has_events ? snapshot.device_traces[device].size() : 0}};
}

/// The largest segments with at most so many blocks in all; the others are counted.
std::vector<const SnapshotSegment*> choose_segments(const Snapshot& snapshot, std::size_t device,
                                                    std::size_t max_blocks, PoolUsage& left_out) {
  std::vector<const SnapshotSegment*> segments;
  for (const SnapshotSegment& segment : snapshot.segments) {
    if (segment.device == device) segments.push_back(&segment);
  }
  std::ranges::sort(segments, [](const auto* a, const auto* b) {
    return std::tuple(b->total_size, a->address) < std::tuple(a->total_size, b->address);
  });
  std::size_t left = max_blocks;
  std::erase_if(segments, [&](const SnapshotSegment* segment) {
    const std::size_t cost = std::max<std::size_t>(segment->blocks.size(), 1);
    const bool fits = cost <= left;
    if (!fits) left_out.add(*segment);
    left -= fits ? cost : 0;
    return !fits;
  });
  return segments;
}

Json segment_json(const SnapshotSegment& segment, StackNumbers& stacks) {
  Json blocks = Json::array();
  for (const SnapshotBlock& block : segment.blocks) {
    blocks.push_back({static_cast<int>(block.state), block.size, block.requested_size, hexadecimal(block.address),
                      stacks.number(block.stack)});
  }
  return {hexadecimal(segment.address), segment.total_size, segment.is_expandable, std::move(blocks)};
}

Json group_json(const PoolUsage& pool, const ObjectNames& names, Json segments) {
  return {{"pool", pool_name(pool.pool)},
          {"users", names.users(pool.pool)},
          {"is_private", pool.pool != PoolId{0, 0}},
          {"size_class", pool.is_large ? "large" : "small"},
          {"stream", stream_text(names, pool.stream)},
          {"segment_count", pool.segment_count},
          {"reserved_bytes", pool.reserved_bytes},
          {"inactive_bytes", pool.inactive_bytes},
          {"segments", std::move(segments)}};
}

Json segments_json(const Snapshot& snapshot, const DeviceSummary& summary, const ObjectNames& names,
                   const PageLimits& limits, StackNumbers& stacks) {
  PoolUsage left_out;
  const auto segments = choose_segments(snapshot, summary.device, limits.blocks, left_out);
  std::map<std::tuple<PoolId, std::uint64_t, bool>, Json> shown;
  for (const SnapshotSegment* segment : segments) {
    Json& list = shown[{segment->pool, segment->stream, segment->is_large}];
    list.push_back(segment_json(*segment, stacks));
  }
  Json groups = Json::array();
  for (const PoolUsage& pool : summary.pools) {
    const auto found = shown.find({pool.pool, pool.stream, pool.is_large});
    if (found != shown.end()) groups.push_back(group_json(pool, names, std::move(found->second)));
  }
  return {{"groups", std::move(groups)},
          {"left_out_segment_count", left_out.segment_count},
          {"left_out_bytes", left_out.reserved_bytes}};
}

/// "</script" and "<!--" must not appear inside a script element.
std::string inside_script(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page_data(const Snapshot& snapshot, const std::vector<std::size_t>& devices, const PageLimits& limits) {
  StackNumbers stacks(snapshot.stacks, limits.stack_frames);
  Json list = Json::array();
  for (const std::size_t device : devices) {
    const DeviceSummary summary = summarize(snapshot, device);
    const ObjectNames names(snapshot, device);
    list.push_back({{"device", device},
                    {"timeline", timeline_json(snapshot, device, names, limits, stacks)},
                    {"segments", segments_json(snapshot, summary, names, limits, stacks)}});
  }
  return inside_script(
      {{"devices", std::move(list)}, {"stacks", stacks.release_stacks()}, {"frames", stacks.release_frames()}});
}

}  // namespace gpucheck::replay
