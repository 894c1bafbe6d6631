#include "observe/device_trace/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "device/values/status.hpp"

namespace gpucheck::observe {
namespace {

using device::Activity;
using device::ActivityKind;
using Json = nlohmann::ordered_json;

constexpr int host_process = 1;
/// Processes of the format: small numbers, in the order in which viewers list them.
int process_of(int device) { return host_process + 1 + device; }

std::string_view category_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kernel:
      return "kernel";
    case ActivityKind::copy:
      return "gpu_memcpy";
    case ActivityKind::fill:
      return "gpu_memset";
    case ActivityKind::host_function:
      return "host_function";
  }
  return "kernel";
}

std::string_view memory_name(MemoryKind kind) { return kind == MemoryKind::device ? "device memory" : "pinned memory"; }

/// A track of the viewer: activities of one stream that follow each other.
struct Track {
  int number = 0;
  std::uint64_t end_ns = 0;
};

class Writer {
 public:
  explicit Writer(const DeviceTrace& trace) : trace_(trace), origin_ns_(earliest()) {}

  std::string write() {
    text_ = "{\"displayTimeUnit\":\"ms\",\"otherData\":" + about().dump() + ",\"traceEvents\":[";
    name_processes();
    write_calls();
    write_activities();
    write_levels();
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::uint64_t earliest() const {
    std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
    for (const HostCall& call : trace_.calls) earliest = std::min(earliest, call.start_ns);
    for (const Activity& activity : trace_.activities) earliest = std::min(earliest, activity.start_ns);
    for (const MemoryLevel& level : trace_.levels) earliest = std::min(earliest, level.time_ns);
    return earliest;
  }

  [[nodiscard]] double microseconds(std::uint64_t time_ns) const {
    return static_cast<double>(time_ns - origin_ns_) / 1e3;
  }
  /// Such that start plus length, as a reader adds them, is never beyond the end: the next
  /// slice may start there, and slices that overlap by a rounding error are not shown.
  [[nodiscard]] double length(std::uint64_t start_ns, std::uint64_t end_ns) const {
    if (end_ns <= start_ns) return 0.0;
    const double start = microseconds(start_ns);
    const double end = microseconds(end_ns);
    double length = end - start;
    while (start + length > end) length = std::nextafter(length, 0.0);
    return length;
  }

  [[nodiscard]] Json about() const {
    Json about{{"tool", "gpucheck"},
               {"case", trace_.title},
               {"device_kind", trace_.device_kind},
               {"device_times_from", trace_.source}};
    if (!trace_.note.empty()) about["note"] = trace_.note;
    return about;
  }

  void event(const Json& event) {
    // Text of a driver or library need not be UTF-8.
    text_ += first_ ? "\n" : ",\n";
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
    first_ = false;
  }

  void metadata(const char* what, int process, int thread, const Json& arguments) {
    event({{"name", what}, {"ph", "M"}, {"ts", 0}, {"pid", process}, {"tid", thread}, {"args", arguments}});
  }

  void name_process(int process, const std::string& name) {
    metadata("process_name", process, 0, {{"name", name}});
    metadata("process_sort_index", process, 0, {{"sort_index", process}});
  }

  void name_processes() {
    name_process(host_process, "host: " + trace_.title);
    for (const TracedDevice& device : trace_.devices) {
      name_process(process_of(device.ordinal),
                   fmt::format("{}:{} {}", trace_.device_kind, device.ordinal, device.name));
      default_streams_[device.ordinal] = device.default_stream;
    }
    std::set<std::uint64_t> threads;
    for (const HostCall& call : trace_.calls) threads.insert(call.thread);
    for (const std::uint64_t thread : threads) {
      metadata("thread_name", host_process, static_cast<int>(thread), {{"name", fmt::format("thread {}", thread)}});
    }
  }

  void write_calls() {
    for (const HostCall& call : trace_.calls) {
      calls_[call.number] = &call;
      Json arguments{{"correlation", call.number}, {"device", call.device}};
      if (!call.subject.empty()) arguments["subject"] = call.subject;
      if (call.status != device::Status::success) arguments["status"] = device::status_name(call.status);
      event({{"name", call.operation},
             {"cat", "device_call"},
             {"ph", "X"},
             {"ts", microseconds(call.start_ns)},
             {"dur", length(call.start_ns, call.end_ns)},
             {"pid", host_process},
             {"tid", call.thread},
             {"args", std::move(arguments)}});
    }
  }

  void write_activities() {
    std::vector<const Activity*> in_order;
    for (const Activity& activity : trace_.activities) in_order.push_back(&activity);
    std::ranges::sort(in_order, {}, [](const Activity* activity) {
      return std::tuple(activity->start_ns, activity->end_ns, activity->stream);
    });
    for (const Activity* activity : in_order) write(*activity);
  }

  /// What the call itself says of a kernel is shorter than a mangled name undone.
  [[nodiscard]] std::string name_of(const Activity& activity) const {
    const auto call = calls_.find(activity.call);
    const bool is_told =
        activity.kind == ActivityKind::kernel && call != calls_.end() && !call->second->subject.empty();
    return is_told ? call->second->subject : activity.name;
  }

  void write(const Activity& activity) {
    const int process = process_of(activity.device);
    const int track = track_of(activity);
    Json arguments{{"stream", activity.stream}, {"device", activity.device}};
    if (activity.call != 0) arguments["correlation"] = activity.call;
    if (activity.kind == ActivityKind::copy || activity.kind == ActivityKind::fill) arguments["bytes"] = activity.bytes;
    event({{"name", name_of(activity)},
           {"cat", category_of(activity.kind)},
           {"ph", "X"},
           {"ts", microseconds(activity.start_ns)},
           {"dur", length(activity.start_ns, activity.end_ns)},
           {"pid", process},
           {"tid", track},
           {"args", std::move(arguments)}});
    write_arrow(activity, process, track);
  }

  /// From the call to the activity. A call that began later by a clock's error gets none:
  /// arrows go forward in time.
  void write_arrow(const Activity& activity, int process, int track) {
    const auto found = calls_.find(activity.call);
    if (found == calls_.end() || found->second->start_ns > activity.start_ns) return;
    const HostCall& call = *found->second;
    const auto end = [&](const char* phase, std::uint64_t time_ns, int pid, std::uint64_t tid) {
      return Json{{"name", "call"}, {"cat", "call_to_device"},     {"ph", phase},
                  {"id", arrows_},  {"ts", microseconds(time_ns)}, {"pid", pid},
                  {"tid", tid}};
    };
    ++arrows_;
    event(end("s", call.start_ns, host_process, call.thread));
    Json head = end("f", activity.start_ns, process, static_cast<std::uint64_t>(track));
    head["bp"] = "e";  // binds to the slice that encloses this moment
    event(head);
  }

  /// The first of the stream's tracks that is free by then.
  int track_of(const Activity& activity) {
    std::vector<Track>& tracks = tracks_[{activity.device, activity.stream}];
    for (Track& track : tracks) {
      if (track.end_ns > activity.start_ns) continue;
      track.end_ns = std::max(activity.start_ns, activity.end_ns);
      return track.number;
    }
    tracks.push_back({++tracks_of_device_[activity.device], activity.end_ns});
    name_track(activity, tracks);
    return tracks.back().number;
  }

  void name_track(const Activity& activity, const std::vector<Track>& tracks) {
    const auto known = default_streams_.find(activity.device);
    const bool is_default = known != default_streams_.end() && known->second == activity.stream;
    std::string name = is_default ? "default stream" : fmt::format("stream {:#x}", activity.stream);
    if (tracks.size() > 1) name += fmt::format(" ({})", tracks.size());
    metadata("thread_name", process_of(activity.device), tracks.back().number, {{"name", name}});
  }

  void write_levels() {
    for (const MemoryLevel& level : trace_.levels) {
      event({{"name", memory_name(level.kind)},
             {"ph", "C"},
             {"ts", microseconds(level.time_ns)},
             {"pid", process_of(level.device)},
             {"tid", 0},
             {"args", {{"bytes", level.bytes}}}});
    }
  }

  const DeviceTrace& trace_;
  const std::uint64_t origin_ns_;
  std::string text_;
  bool first_ = true;
  std::uint64_t arrows_ = 0;
  std::map<std::uint64_t, const HostCall*> calls_;
  std::map<int, std::uint64_t> default_streams_;
  std::map<std::pair<int, std::uint64_t>, std::vector<Track>> tracks_;
  std::map<int, int> tracks_of_device_;
};

}  // namespace

std::string chrome_trace(const DeviceTrace& trace) { return Writer(trace).write(); }

}  // namespace gpucheck::observe
