#include "observe/device_trace/trace_recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "device/forwarding/forwarding_driver.hpp"
#include "device/sim/sim_driver.hpp"

namespace gpucheck::observe {
namespace {

using device::Activity;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

/// What its recorder was asked.
struct Asked {
  std::vector<std::uint64_t> begun;
  int ended = 0;
};

/// A recorder whose clock ticks by 100 ns a look, and which saw one activity.
class ScriptedRecorder final : public device::ActivityRecorder {
 public:
  explicit ScriptedRecorder(Asked& asked) : asked_(asked) {}
  [[nodiscard]] std::string_view source() const noexcept override { return "script"; }
  [[nodiscard]] std::uint64_t now_ns() override { return now_ns_ += 100; }
  void begin_call(std::uint64_t call) override { asked_.begun.push_back(call); }
  void end_call() override { ++asked_.ended; }
  [[nodiscard]] std::uint64_t number_of(device::Stream stream) override { return stream.value + 1'000; }
  [[nodiscard]] std::vector<Activity> finish() override { return {{.name = "seen"}}; }

 private:
  Asked& asked_;
  std::uint64_t now_ns_ = 0;
};

class ScriptedDriver final : public device::ForwardingDriver {
 public:
  ScriptedDriver(Asked& asked, bool has_recorder)
      : ForwardingDriver(sim::make_driver({.profile = sim::profile("small")})),
        asked_(asked),
        has_recorder_(has_recorder) {}
  [[nodiscard]] device::ActivityRecording record_activity() override {
    if (!has_recorder_) return {nullptr, "out of paper"};
    return {std::make_unique<ScriptedRecorder>(asked_), ""};
  }

 private:
  Asked& asked_;
  bool has_recorder_;
};

class TraceRecorderTest : public testing::Test {
 protected:
  Asked asked;
  ScriptedDriver seeing{asked, true};
  ScriptedDriver blind{asked, false};
};

TEST_F(TraceRecorderTest, SaysWhereTheTimesOfDevicesComeFrom) {
  TraceRecorder with(seeing, "one.case");
  EXPECT_TRUE(with.sees_devices());
  EXPECT_EQ(with.number_of(device::Stream{7}), 1'007U);
  const DeviceTrace seen = with.finish();
  EXPECT_EQ(seen.title, "one.case");
  EXPECT_EQ(seen.device_kind, "sim");
  EXPECT_EQ(seen.source, "script");
  EXPECT_EQ(seen.note, "");

  TraceRecorder without(blind, "other.case");
  EXPECT_FALSE(without.sees_devices());
  EXPECT_EQ(without.number_of(device::Stream{7}), 7U);
  const DeviceTrace timed = without.finish();
  EXPECT_EQ(timed.source, "events");
  EXPECT_EQ(timed.note, "out of paper");
}

// The recorder hears of a call before its start is read, and of its end after that was read.
TEST_F(TraceRecorderTest, NumbersItsCallsAndReadsTheClockTwice) {
  TraceRecorder recorder(seeing, "");
  HostCall first = recorder.begin_call();
  HostCall second = recorder.begin_call();
  EXPECT_THAT(asked.begun, ElementsAre(1, 2));
  EXPECT_EQ(asked.ended, 0);
  recorder.end_call(second);
  recorder.end_call(first);
  EXPECT_EQ(asked.ended, 2);
  const DeviceTrace trace = recorder.finish();
  ASSERT_EQ(trace.calls.size(), 2U);
  EXPECT_EQ(trace.calls[0].number, 2U);
  EXPECT_EQ(trace.calls[0].start_ns, 200U);
  EXPECT_EQ(trace.calls[0].end_ns, 300U);
  EXPECT_EQ(trace.calls[1].number, 1U);
  EXPECT_EQ(trace.calls[1].start_ns, 100U);
  EXPECT_EQ(trace.calls[1].end_ns, 400U);
}

TEST_F(TraceRecorderTest, ThreadsHaveNumbersOfTheirOwn) {
  TraceRecorder recorder(seeing, "");
  const std::uint64_t here = recorder.begin_call().thread;
  std::uint64_t there = 0;
  std::uint64_t there_again = 0;
  std::thread([&] {
    there = recorder.begin_call().thread;
    there_again = recorder.begin_call().thread;
  }).join();
  EXPECT_GE(here, 1U);
  EXPECT_EQ(recorder.begin_call().thread, here);
  EXPECT_GT(there, here);
  EXPECT_EQ(there_again, there);
}

TEST_F(TraceRecorderTest, WithoutARecorderTimeGoesOnByItself) {
  TraceRecorder recorder(blind, "");
  const std::uint64_t before = recorder.now_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const std::uint64_t passed = recorder.now_ns() - before;
  EXPECT_GE(passed, 2'000'000U);
  EXPECT_LT(passed, 60'000'000'000U);
  recorder.end_call(recorder.begin_call());
  const DeviceTrace trace = recorder.finish();
  EXPECT_GE(trace.calls.at(0).start_ns, before + passed);
  EXPECT_GE(trace.calls.at(0).end_ns, trace.calls.at(0).start_ns);
  EXPECT_THAT(asked.begun, IsEmpty());
}

// Each of these a sum of its own, also where another one changed in between.
TEST_F(TraceRecorderTest, MemoryIsASumForEachDeviceAndKind) {
  TraceRecorder recorder(seeing, "");
  recorder.memory_changed(0, MemoryKind::device, 100);
  recorder.memory_changed(1, MemoryKind::device, 7);
  recorder.memory_changed(0, MemoryKind::pinned, 30);
  recorder.memory_changed(0, MemoryKind::device, 50);
  recorder.memory_changed(0, MemoryKind::device, -100);
  recorder.memory_changed(1, MemoryKind::device, -7);
  recorder.memory_changed(0, MemoryKind::pinned, 5'000'000'000);
  const DeviceTrace trace = recorder.finish();
  const auto level = [](std::uint64_t time_ns, int device, MemoryKind kind, std::uint64_t bytes) {
    return testing::AllOf(Field(&MemoryLevel::time_ns, time_ns), Field(&MemoryLevel::device, device),
                          Field(&MemoryLevel::kind, kind), Field(&MemoryLevel::bytes, bytes));
  };
  EXPECT_THAT(trace.levels, ElementsAre(level(100, 0, MemoryKind::device, 100), level(200, 1, MemoryKind::device, 7),
                                        level(300, 0, MemoryKind::pinned, 30), level(400, 0, MemoryKind::device, 150),
                                        level(500, 0, MemoryKind::device, 50), level(600, 1, MemoryKind::device, 0),
                                        level(700, 0, MemoryKind::pinned, 5'000'000'030)));
}

TEST_F(TraceRecorderTest, ADeviceThatIsOpenedTwiceIsThereOnce) {
  TraceRecorder recorder(seeing, "");
  recorder.add(TracedDevice{.ordinal = 1, .name = "first", .default_stream = 5});
  recorder.add(TracedDevice{.ordinal = 0, .name = "other", .default_stream = 6});
  recorder.add(TracedDevice{.ordinal = 1, .name = "again", .default_stream = 7});
  const DeviceTrace trace = recorder.finish();
  EXPECT_THAT(trace.devices, ElementsAre(Field(&TracedDevice::name, "first"), Field(&TracedDevice::name, "other")));
}

TEST_F(TraceRecorderTest, WhatWasAddedAndWhatTheRecorderSawAreBothThere) {
  TraceRecorder recorder(seeing, "");
  recorder.add(Activity{.name = "added"});
  EXPECT_THAT(recorder.finish().activities,
              ElementsAre(Field(&Activity::name, "added"), Field(&Activity::name, "seen")));
  TraceRecorder alone(blind, "");
  alone.add(Activity{.name = "added"});
  EXPECT_THAT(alone.finish().activities, ElementsAre(Field(&Activity::name, "added")));
}

}  // namespace
}  // namespace gpucheck::observe
