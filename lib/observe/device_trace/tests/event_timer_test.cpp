#include "observe/device_trace/event_timer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <vector>

#include "device/forwarding/forwarding_device.hpp"
#include "device/forwarding/forwarding_driver.hpp"
#include "device/sim/sim_driver.hpp"

namespace gpucheck::observe {
namespace {

using device::Activity;
using device::Result;
using device::Status;
using device::Stream;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

/// Gives the elapsed times that the test lists, in order; the calls whose numbers the test gives fail.
class ScriptedClock final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  using ForwardingDevice::synchronize;

  [[nodiscard]] Result<float> elapsed_ms(device::Event start, device::Event /*stop*/) override {
    if (origins.empty() || origins.back().value != start.value) origins.push_back(start);
    const Result<float> answer = elapsed.at(asked);
    ++asked;
    return answer;
  }
  [[nodiscard]] Result<device::Event> create_event(device::EventKind kind) override {
    ++created;
    if (created == fails_at_creation) return Status::out_of_memory;
    kinds.push_back(kind);
    return ForwardingDevice::create_event(kind);
  }
  [[nodiscard]] Result<Stream> create_stream(device::StreamKind kind, int priority) override {
    if (no_streams) return Status::out_of_memory;
    stream_kinds.push_back(kind);
    return ForwardingDevice::create_stream(kind, priority);
  }
  Status record(device::Event event, Stream stream) override {
    recorded_in.push_back(stream);
    return recorded_in.size() == fails_at_record ? Status::launch_failure : ForwardingDevice::record(event, stream);
  }
  Status synchronize(device::Event event) override {
    ++waits;
    return waits == fails_at_wait ? Status::launch_failure : ForwardingDevice::synchronize(event);
  }

  std::vector<Result<float>> elapsed;
  std::size_t asked = 0;
  std::vector<device::Event> origins;
  std::vector<device::EventKind> kinds;
  std::vector<device::StreamKind> stream_kinds;
  std::vector<Stream> recorded_in;
  int created = 0;
  int fails_at_creation = 0;
  std::size_t fails_at_record = 0;
  int waits = 0;
  int fails_at_wait = 0;
  bool no_streams = false;
};

/// A simulated machine that hides its recorder.
class BlindDriver final : public device::ForwardingDriver {
 public:
  BlindDriver() : ForwardingDriver(sim::make_driver({.profile = sim::profile("small")})) {}
  [[nodiscard]] device::ActivityRecording record_activity() override { return {nullptr, "hidden"}; }
};

class EventTimerTest : public testing::Test {
 protected:
  /// As a call that takes this stream would be timed.
  void time(const char* name) {
    auto start = timer->before(stream);
    timer->after(std::move(start), Activity{.name = name}, stream);
  }
  std::vector<Activity> activities() {
    timer.reset();
    return recorder.finish().activities;
  }

  BlindDriver driver;
  ScriptedClock device{driver.open(0).value()};
  TraceRecorder recorder{driver, "case"};
  std::unique_ptr<EventTimer> timer = std::make_unique<EventTimer>(device, recorder);
  Stream stream = device.ForwardingDevice::create_stream(device::StreamKind::non_blocking, 0).value();
};

// Each two times are the one to the start and the one to the end, in milliseconds from one event that was
// complete when the host's clock was read.
TEST_F(EventTimerTest, TimesCountFromOneMomentOnBothClocks) {
  device.elapsed = {1.5F, 4.25F, 0.0F, 0.5F};
  const std::uint64_t before = recorder.now_ns();
  time("first");
  time("second");
  const std::uint64_t after = recorder.now_ns();
  const std::vector<Activity> timed = activities();
  ASSERT_THAT(timed, ElementsAre(Field(&Activity::name, "first"), Field(&Activity::name, "second")));
  const std::uint64_t origin = timed[1].start_ns;
  EXPECT_GE(origin, before);
  EXPECT_LE(origin, after);
  EXPECT_EQ(timed[0].start_ns, origin + 1'500'000);
  EXPECT_EQ(timed[0].end_ns, origin + 4'250'000);
  EXPECT_EQ(timed[1].end_ns, origin + 500'000);
  EXPECT_EQ(timed[0].stream, stream.value);
  EXPECT_THAT(device.origins, SizeIs(1));
  EXPECT_THAT(device.kinds, testing::Each(device::EventKind::timing));
  EXPECT_THAT(device.stream_kinds, ElementsAre(device::StreamKind::non_blocking));
}

// In the stream of the work each: the origin alone has one of its own.
TEST_F(EventTimerTest, EventsAreRecordedInTheStreamOfTheWork) {
  device.elapsed = {1.0F, 2.0F};
  time("work");
  ASSERT_THAT(device.recorded_in, SizeIs(3));
  EXPECT_NE(device.recorded_in[0].value, stream.value);
  EXPECT_EQ(device.recorded_in[1].value, stream.value);
  EXPECT_EQ(device.recorded_in[2].value, stream.value);
}

TEST_F(EventTimerTest, NothingBeganBeforeTheOrigin) {
  device.elapsed = {-0.25F, 2.0F, 0.0F, 2.0F};
  time("early");
  time("at it");
  const std::vector<Activity> timed = activities();
  ASSERT_THAT(timed, SizeIs(2));
  EXPECT_EQ(timed[0].start_ns, timed[1].start_ns);
  EXPECT_EQ(timed[0].end_ns - timed[0].start_ns, 2'000'000U);
}

TEST_F(EventTimerTest, ATimeThatCannotBeReadIsNoTime) {
  device.elapsed = {Result<float>(Status::unknown), 1.0F, 1.0F, Result<float>(Status::unknown), 1.0F, 2.0F};
  time("no start");
  time("no end");
  time("both");
  EXPECT_THAT(activities(), ElementsAre(Field(&Activity::name, "both")));
}

// The first wait is for the origin.
TEST_F(EventTimerTest, OfALostDeviceWhatWasReadBefore) {
  device.elapsed = {1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  device.fails_at_wait = 3;
  time("before");
  time("lost");
  time("behind it");
  EXPECT_THAT(activities(), ElementsAre(Field(&Activity::name, "before")));
  EXPECT_EQ(device.waits, 3);
}

TEST_F(EventTimerTest, CapturesAreLeftAloneAsLongAsOneIsOpen) {
  timer->capture_ended();  // of none
  EXPECT_TRUE(timer->before(stream).has_value());
  timer->capture_begun();
  timer->capture_begun();
  EXPECT_FALSE(timer->before(stream).has_value());
  timer->capture_ended();
  EXPECT_FALSE(timer->before(stream).has_value());
  timer->capture_ended();
  EXPECT_TRUE(timer->before(stream).has_value());
  EXPECT_THAT(activities(), IsEmpty());
}

TEST_F(EventTimerTest, WithoutAnOriginNothingIsTimed) {
  device.no_streams = true;
  EXPECT_FALSE(timer->before(stream).has_value());
  device.no_streams = false;
  device.fails_at_creation = 1;
  EXPECT_FALSE(timer->before(stream).has_value());
  device.fails_at_record = 1;
  EXPECT_FALSE(timer->before(stream).has_value());
  device.fails_at_wait = 1;
  EXPECT_FALSE(timer->before(stream).has_value());
  EXPECT_TRUE(timer->before(stream).has_value());  // tried anew each time
}

TEST_F(EventTimerTest, WorkWithOneEventIsNotTimed) {
  device.fails_at_creation = 2;  // behind the origin's
  time("no start");
  device.fails_at_creation = 4;
  time("no end");
  EXPECT_EQ(device.created, 4);
  device.fails_at_record = device.recorded_in.size() + 2;
  time("no record of its end");
  device.elapsed = {1.0F, 2.0F};
  time("timed");
  EXPECT_THAT(activities(), ElementsAre(Field(&Activity::name, "timed")));
}

}  // namespace
}  // namespace gpucheck::observe
