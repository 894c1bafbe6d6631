#include "observe/device_trace/chrome_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/device_trace/tests/trace_format.hpp"

namespace gpucheck::observe {
namespace {

using device::Activity;
using device::ActivityKind;
using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A call that launches a kernel, and two branches of a graph that run side by side.
DeviceTrace small_trace() {
  DeviceTrace trace;
  trace.title = "demo.case";
  trace.device_kind = "sim";
  trace.source = "simulator";
  trace.devices = {{.ordinal = 0, .name = "H100", .default_stream = 7}};
  trace.calls = {
      {.number = 1, .operation = "launch_kernel", .subject = "fill", .thread = 1, .start_ns = 1'000, .end_ns = 3'500},
      {.number = 2, .operation = "launch_graph", .subject = {}, .thread = 1, .start_ns = 4'000, .end_ns = 4'500}};
  trace.activities = {
      {.kind = ActivityKind::kernel, .name = "mangled", .stream = 7, .start_ns = 2'000, .end_ns = 5'000, .call = 1},
      {.kind = ActivityKind::kernel, .name = "left", .stream = 9, .start_ns = 6'000, .end_ns = 9'000, .call = 2},
      {.kind = ActivityKind::copy,
       .name = "copy",
       .stream = 9,
       .start_ns = 7'000,
       .end_ns = 10'000,
       .bytes = 64,
       .call = 2}};
  trace.levels = {{.time_ns = 1'500, .device = 0, .kind = MemoryKind::device, .bytes = 2'097'152}};
  return trace;
}

json events_of(const json& trace, const std::string& phase) {
  json events = json::array();
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) events.push_back(event);
  }
  return events;
}

json named(const json& events, const std::string& name) {
  for (const json& event : events) {
    if (event["name"] == name) return event;
  }
  return {};
}

json track_names(const json& trace) {
  json names = json::array();
  for (const json& event : events_of(trace, "M")) {
    if (event["name"] == "thread_name") names.push_back(event["args"]["name"]);
  }
  return names;
}

TEST(ChromeTrace, KeepsToTheFormat) {
  const json trace = json::parse(chrome_trace(small_trace()));
  EXPECT_THAT(test::format_offences(trace), IsEmpty());
  EXPECT_EQ(trace["otherData"]["device_times_from"], "simulator");
}

TEST(ChromeTrace, TimesAreMicrosecondsFromTheFirst) {
  const json slices = events_of(json::parse(chrome_trace(small_trace())), "X");
  const json call = named(slices, "launch_kernel");
  EXPECT_EQ(call["ts"], 0.0);
  EXPECT_EQ(call["dur"], 2.5);
  const json kernel = named(slices, "fill");
  EXPECT_EQ(kernel["ts"], 1.0);
  EXPECT_EQ(kernel["dur"], 3.0);
}

TEST(ChromeTrace, WhatRunsSideBySideGetsATrackOfItsOwn) {
  const json trace = json::parse(chrome_trace(small_trace()));
  const json slices = events_of(trace, "X");
  EXPECT_EQ(named(slices, "left")["pid"], named(slices, "copy")["pid"]);
  EXPECT_NE(named(slices, "left")["tid"], named(slices, "copy")["tid"]);
  EXPECT_EQ(track_names(trace), json({"thread 1", "default stream", "stream 0x9", "stream 0x9 (2)"}));
}

/// Start plus length of one must not be more than the start of the next, whatever the
/// rounding: viewers add them as doubles.
TEST(ChromeTrace, SlicesThatTouchDoNotOverlap) {
  DeviceTrace recorded;
  recorded.devices = {{.ordinal = 0, .name = "H100", .default_stream = 0}};
  std::uint64_t now_ns = 1;
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    const std::uint64_t end_ns = now_ns + 1 + i * 7'919 % 1'009;
    recorded.activities.push_back({.name = "kernel", .stream = 1, .start_ns = now_ns, .end_ns = end_ns});
    now_ns = end_ns;
  }
  const json trace = json::parse(chrome_trace(recorded));
  EXPECT_THAT(test::format_offences(trace), IsEmpty());
  EXPECT_THAT(track_names(trace), SizeIs(1));
}

/// Only where one ends at more than twice its start can its length round at all: 0.001 and 0.009 are more than 0.01.
TEST(ChromeTrace, SlicesWhoseLengthsRoundDoNotOverlap) {
  DeviceTrace recorded;
  recorded.devices = {{.ordinal = 0, .name = "H100", .default_stream = 0}};
  constexpr std::uint64_t origin_ns = 1'000'000;
  for (std::uint64_t now_ns = 0, end_ns = 1; now_ns < 1'000'000'000; now_ns = end_ns, end_ns = 9 * end_ns + 1) {
    recorded.activities.push_back(
        {.name = "kernel", .stream = 1, .start_ns = origin_ns + now_ns, .end_ns = origin_ns + end_ns});
  }
  const json trace = json::parse(chrome_trace(recorded));
  EXPECT_THAT(test::format_offences(trace), IsEmpty());
  EXPECT_THAT(events_of(trace, "X"), SizeIs(11));
}

TEST(ChromeTrace, EachActivityHasAnArrowFromItsCall) {
  const json trace = json::parse(chrome_trace(small_trace()));
  const json starts = events_of(trace, "s");
  ASSERT_THAT(starts, SizeIs(3));
  EXPECT_EQ(starts[0]["ts"], 0.0);
  EXPECT_EQ(starts[1]["ts"], 3.0);
  EXPECT_EQ(starts[2]["ts"], 3.0);
  EXPECT_THAT(events_of(trace, "f"), SizeIs(3));
}

TEST(ChromeTrace, AnActivityOfAnUnknownCallHasNone) {
  DeviceTrace recorded = small_trace();
  recorded.activities[0].call = 77;
  recorded.activities[1].call = 0;
  const json trace = json::parse(chrome_trace(recorded));
  EXPECT_THAT(events_of(trace, "s"), SizeIs(1));
  EXPECT_THAT(test::format_offences(trace), IsEmpty());
}

TEST(ChromeTrace, MemoryIsACounter) {
  const json counters = events_of(json::parse(chrome_trace(small_trace())), "C");
  ASSERT_THAT(counters, SizeIs(1));
  EXPECT_EQ(counters[0]["name"], "device memory");
  EXPECT_EQ(counters[0]["args"]["bytes"], 2'097'152);
}

TEST(ChromeTrace, FailedCallsSayWhy) {
  DeviceTrace recorded = small_trace();
  recorded.calls[1].status = device::Status::out_of_memory;
  const json slices = events_of(json::parse(chrome_trace(recorded)), "X");
  EXPECT_EQ(named(slices, "launch_graph")["args"]["status"], device::status_name(device::Status::out_of_memory));
  EXPECT_FALSE(named(slices, "launch_kernel")["args"].contains("status"));
}

TEST(ChromeTrace, NothingIsATraceToo) {
  const json trace = json::parse(chrome_trace({}));
  EXPECT_THAT(test::format_offences(trace), IsEmpty());
}

TEST(ChromeTrace, TextThatIsNotUtf8IsMendedAndEscaped) {
  DeviceTrace recorded = small_trace();
  recorded.activities[1].name = "a \"kernel\"\n\xFF";
  const json trace = json::parse(chrome_trace(recorded));
  EXPECT_FALSE(named(events_of(trace, "X"), "a \"kernel\"\n\xEF\xBF\xBD").is_null());
}

/// The format's checker, which other tests trust, sees what is wrong.
TEST(TraceFormat, OffencesAreSeen) {
  const json good = json::parse(chrome_trace(small_trace()));
  const auto offences_after = [&](const auto& change) {
    json trace = good;
    for (json& event : trace["traceEvents"]) change(event);
    return test::format_offences(trace);
  };
  EXPECT_THAT(offences_after([](json& event) { event.erase("pid"); }), Contains(HasSubstr("every event has")));
  EXPECT_THAT(offences_after([](json& event) { event["ts"] = -1; }), Contains(HasSubstr("negative")));
  EXPECT_THAT(offences_after([](json& event) { event.erase("dur"); }), Contains(HasSubstr("no length")));
  EXPECT_THAT(offences_after([](json& event) { event.erase("bp"); }), Contains(HasSubstr("binds to the next")));
  EXPECT_THAT(offences_after([](json& event) {
                if (event["ph"] == "X") event["tid"] = 1;
              }),
              Contains(HasSubstr("overlap")));
  EXPECT_THAT(offences_after([](json& event) {
                if (event["ph"] == "s") event["tid"] = 99;
              }),
              Contains(HasSubstr("nowhere")));
  EXPECT_THAT(offences_after([](json& event) {
                if (event["ph"] == "s") event["id"] = 0;
              }),
              Contains(HasSubstr("starts")));
  EXPECT_THAT(offences_after([](json& event) {
                if (event["ph"] == "C") event["args"]["bytes"] = "many";
              }),
              Contains(HasSubstr("not a number")));
  EXPECT_THAT(offences_after([](json& event) {
                if (event["ph"] == "M") event["tid"] = 1234;
              }),
              Contains(HasSubstr("no name")));
  EXPECT_THAT(test::format_offences(json::array()), SizeIs(1));
}

}  // namespace
}  // namespace gpucheck::observe
