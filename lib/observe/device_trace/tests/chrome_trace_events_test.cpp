#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "observe/device_trace/chrome_trace.hpp"

// Every event of a trace, written down by hand from the Trace Event Format: what a viewer shows of two devices, two
// threads, every kind of activity and both kinds of memory.
namespace gpucheck::observe {
namespace {

using device::Activity;
using device::ActivityKind;
using nlohmann::json;
using testing::ElementsAreArray;

/// The first moment is 10,000 ns.
DeviceTrace trace_of_two_devices() {
  DeviceTrace trace;
  trace.title = "two.devices";
  trace.device_kind = "sim";
  trace.source = "events";
  trace.note = "no recorder";
  trace.devices = {{.ordinal = 0, .name = "A", .default_stream = 5}, {.ordinal = 1, .name = "B", .default_stream = 6}};
  trace.calls = {{.number = 11,
                  .operation = "copy",
                  .subject = {},
                  .device = 1,
                  .thread = 2,
                  .start_ns = 10'000,
                  .end_ns = 12'000},
                 {.number = 12,
                  .operation = "launch_kernel",
                  .subject = "add",
                  .device = 0,
                  .thread = 1,
                  .start_ns = 13'000,
                  .end_ns = 14'500,
                  .status = device::Status::invalid_value},
                 {.number = 13,
                  .operation = "fill",
                  .subject = "never a fill's name",
                  .device = 0,
                  .thread = 1,
                  .start_ns = 15'000,
                  .end_ns = 15'000}};
  trace.activities = {{.kind = ActivityKind::host_function,
                       .name = "host function",
                       .device = 1,
                       .stream = 5,
                       .start_ns = 30'000,
                       .end_ns = 31'000,
                       .bytes = 9},
                      {.kind = ActivityKind::fill,
                       .name = "fill",
                       .device = 0,
                       .stream = 5,
                       .start_ns = 16'000,
                       .end_ns = 18'000,
                       .bytes = 77,
                       .call = 13},
                      {.kind = ActivityKind::copy,
                       .name = "copy",
                       .device = 1,
                       .stream = 6,
                       .start_ns = 11'000,
                       .end_ns = 13'500,
                       .bytes = 88,
                       .call = 11},
                      // The device's clock says that it began before its call: it gets no arrow.
                      {.kind = ActivityKind::kernel,
                       .name = "_Z3add",
                       .device = 0,
                       .stream = 5,
                       .start_ns = 12'500,
                       .end_ns = 16'000,
                       .bytes = 99,
                       .call = 12}};
  trace.levels = {{.time_ns = 10'500, .device = 0, .kind = MemoryKind::device, .bytes = 64},
                  {.time_ns = 40'000, .device = 1, .kind = MemoryKind::pinned, .bytes = 4'294'967'296}};
  return trace;
}

std::vector<json> parsed(const std::vector<const char*>& texts) {
  std::vector<json> events;
  events.reserve(texts.size());
  for (const char* const text : texts) events.push_back(json::parse(text));
  return events;
}

std::vector<json> events_of_phases(const json& trace, const std::string& phases) {
  std::vector<json> events;
  for (const json& event : trace.at("traceEvents")) {
    if (phases.find(event.at("ph").get<std::string>()) != std::string::npos) events.push_back(event);
  }
  return events;
}

TEST(ChromeTraceEvents, SayWhatWasTraced) {
  DeviceTrace trace = trace_of_two_devices();
  const json document = json::parse(chrome_trace(trace));
  EXPECT_EQ(document.at("displayTimeUnit"), "ms");
  EXPECT_EQ(document.at("otherData"), json::parse(R"({"tool": "gpucheck", "case": "two.devices", "device_kind": "sim",
                                                      "device_times_from": "events", "note": "no recorder"})"));
  trace.note.clear();
  EXPECT_FALSE(json::parse(chrome_trace(trace)).at("otherData").contains("note"));
}

// The host is process 1 and device N process N + 2, sorted so; tracks of a device count from 1.
TEST(ChromeTraceEvents, NameEachProcessAndTrack) {
  const std::vector<json> expected = parsed({
      R"({"name": "process_name", "ph": "M", "ts": 0, "pid": 1, "tid": 0, "args": {"name": "host: two.devices"}})",
      R"({"name": "process_sort_index", "ph": "M", "ts": 0, "pid": 1, "tid": 0, "args": {"sort_index": 1}})",
      R"({"name": "process_name", "ph": "M", "ts": 0, "pid": 2, "tid": 0, "args": {"name": "sim:0 A"}})",
      R"({"name": "process_sort_index", "ph": "M", "ts": 0, "pid": 2, "tid": 0, "args": {"sort_index": 2}})",
      R"({"name": "process_name", "ph": "M", "ts": 0, "pid": 3, "tid": 0, "args": {"name": "sim:1 B"}})",
      R"({"name": "process_sort_index", "ph": "M", "ts": 0, "pid": 3, "tid": 0, "args": {"sort_index": 3}})",
      R"({"name": "thread_name", "ph": "M", "ts": 0, "pid": 1, "tid": 1, "args": {"name": "thread 1"}})",
      R"({"name": "thread_name", "ph": "M", "ts": 0, "pid": 1, "tid": 2, "args": {"name": "thread 2"}})",
      R"({"name": "thread_name", "ph": "M", "ts": 0, "pid": 3, "tid": 1, "args": {"name": "default stream"}})",
      R"({"name": "thread_name", "ph": "M", "ts": 0, "pid": 2, "tid": 1, "args": {"name": "default stream"}})",
      R"({"name": "thread_name", "ph": "M", "ts": 0, "pid": 3, "tid": 2, "args": {"name": "stream 0x5"}})",
  });
  EXPECT_THAT(events_of_phases(json::parse(chrome_trace(trace_of_two_devices())), "M"), ElementsAreArray(expected));
}

// Calls in their order, then activities by their start. A failed call has its status, a copy and a fill their bytes,
// and a kernel the name that its call says.
TEST(ChromeTraceEvents, HaveASliceForEachCallAndActivity) {
  const std::vector<json> expected = parsed({
      R"({"name": "copy", "cat": "device_call", "ph": "X", "ts": 0, "dur": 2, "pid": 1, "tid": 2,
          "args": {"correlation": 11, "device": 1}})",
      R"({"name": "launch_kernel", "cat": "device_call", "ph": "X", "ts": 3, "dur": 1.5, "pid": 1, "tid": 1,
          "args": {"correlation": 12, "device": 0, "subject": "add", "status": "cudaErrorInvalidValue"}})",
      R"({"name": "fill", "cat": "device_call", "ph": "X", "ts": 5, "dur": 0, "pid": 1, "tid": 1,
          "args": {"correlation": 13, "device": 0, "subject": "never a fill's name"}})",
      R"({"name": "copy", "cat": "gpu_memcpy", "ph": "X", "ts": 1, "dur": 2.5, "pid": 3, "tid": 1,
          "args": {"stream": 6, "device": 1, "correlation": 11, "bytes": 88}})",
      R"({"name": "add", "cat": "kernel", "ph": "X", "ts": 2.5, "dur": 3.5, "pid": 2, "tid": 1,
          "args": {"stream": 5, "device": 0, "correlation": 12}})",
      R"({"name": "fill", "cat": "gpu_memset", "ph": "X", "ts": 6, "dur": 2, "pid": 2, "tid": 1,
          "args": {"stream": 5, "device": 0, "correlation": 13, "bytes": 77}})",
      R"({"name": "host function", "cat": "host_function", "ph": "X", "ts": 20, "dur": 1, "pid": 3, "tid": 2,
          "args": {"stream": 5, "device": 1}})",
  });
  EXPECT_THAT(events_of_phases(json::parse(chrome_trace(trace_of_two_devices())), "X"), ElementsAreArray(expected));
}

TEST(ChromeTraceEvents, HaveAnArrowWhereACallCameFirst) {
  const std::vector<json> expected = parsed({
      R"({"name": "call", "cat": "call_to_device", "ph": "s", "id": 1, "ts": 0, "pid": 1, "tid": 2})",
      R"({"name": "call", "cat": "call_to_device", "ph": "f", "id": 1, "ts": 1, "pid": 3, "tid": 1, "bp": "e"})",
      R"({"name": "call", "cat": "call_to_device", "ph": "s", "id": 2, "ts": 5, "pid": 1, "tid": 1})",
      R"({"name": "call", "cat": "call_to_device", "ph": "f", "id": 2, "ts": 6, "pid": 2, "tid": 1, "bp": "e"})",
  });
  std::vector<json> arrows = events_of_phases(json::parse(chrome_trace(trace_of_two_devices())), "sf");
  // An arrow's number is any that no other has: here they count.
  for (json& end : arrows) end["id"] = end.at("id") == arrows.front().at("id") ? 1 : 2;
  EXPECT_THAT(arrows, testing::UnorderedElementsAreArray(expected));
}

TEST(ChromeTraceEvents, AnActivityThatBeginsWithItsCallHasAnArrow) {
  DeviceTrace trace = trace_of_two_devices();
  trace.activities[3].start_ns = 13'000;  // the kernel's, as its call's
  EXPECT_EQ(events_of_phases(json::parse(chrome_trace(trace)), "s").size(), 3U);
}

TEST(ChromeTraceEvents, CountTheMemoryOfEachDevice) {
  const std::vector<json> expected = parsed({
      R"({"name": "device memory", "ph": "C", "ts": 0.5, "pid": 2, "tid": 0, "args": {"bytes": 64}})",
      R"({"name": "pinned memory", "ph": "C", "ts": 30, "pid": 3, "tid": 0, "args": {"bytes": 4294967296}})",
  });
  EXPECT_THAT(events_of_phases(json::parse(chrome_trace(trace_of_two_devices())), "C"), ElementsAreArray(expected));
}

// Times count from whatever came first: a call above, here an activity and a level.
TEST(ChromeTraceEvents, BeginWithTheEarliestOfAll) {
  DeviceTrace activity_first = trace_of_two_devices();
  activity_first.activities[0].start_ns = 9'000;
  EXPECT_EQ(events_of_phases(json::parse(chrome_trace(activity_first)), "C").at(0).at("ts"), 1.5);
  DeviceTrace level_first = trace_of_two_devices();
  level_first.levels[1].time_ns = 8'000;
  EXPECT_EQ(events_of_phases(json::parse(chrome_trace(level_first)), "C").at(0).at("ts"), 2.5);
}

TEST(ChromeTraceEvents, ATraceOfNothingHasTheHostAlone) {
  const json trace = json::parse(chrome_trace({}));
  EXPECT_EQ(trace.at("traceEvents").size(), 2U);
  EXPECT_EQ(trace.at("traceEvents").at(0).at("args").at("name"), "host: ");
}

/// An activity of one stream, by start and end.
Activity slice(std::uint64_t start_ns, std::uint64_t end_ns) {
  return {.name = std::to_string(start_ns), .stream = 1, .start_ns = start_ns, .end_ns = end_ns};
}

// Three side by side take three tracks; what begins when a track's last one ends goes on there, on the first such.
TEST(ChromeTraceEvents, TakeTheFirstTrackThatIsFree) {
  DeviceTrace trace;
  trace.activities = {slice(0, 10),  slice(1, 20),  slice(2, 15),  slice(10, 12),
                      slice(11, 30), slice(15, 16), slice(16, 16), slice(20, 21)};
  std::vector<std::pair<std::string, int>> tracks;
  for (const json& event : events_of_phases(json::parse(chrome_trace(trace)), "X")) {
    tracks.emplace_back(event.at("name").get<std::string>(), event.at("tid").get<int>());
  }
  const std::vector<std::pair<std::string, int>> expected{{"0", 1},  {"1", 2},  {"2", 3},  {"10", 1},
                                                          {"11", 4}, {"15", 1}, {"16", 1}, {"20", 1}};
  EXPECT_EQ(tracks, expected);
}

// A device without a name in the trace has no default stream that is known.
TEST(ChromeTraceEvents, OnlyAKnownDeviceHasADefaultStream) {
  DeviceTrace trace;
  trace.activities = {{.name = "fill", .device = 4, .stream = 0, .start_ns = 1, .end_ns = 2}};
  const std::vector<json> names = events_of_phases(json::parse(chrome_trace(trace)), "M");
  EXPECT_EQ(names.back().at("args").at("name"), "stream 0x0");
  EXPECT_EQ(names.back().at("pid"), 6);
}

}  // namespace
}  // namespace gpucheck::observe
