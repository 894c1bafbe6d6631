#include <gtest/gtest.h>

#include "device/sim/tests/fixture.hpp"

// What becomes of a capture by its events and the streams that are to join it, and how it ends.
namespace gpucheck::sim {
namespace {

using device::CaptureMode;
using device::CaptureStatus;
using device::Device;
using device::Event;
using device::Status;
using device::Stream;

/// An event that was recorded in a capture, which has ended.
Event event_of_an_ended_capture(const Fixture& fixture) {
  const Stream stream = fixture.stream();
  const Event event = fixture.device().create_event(device::EventKind::timing).value();
  check(fixture.device().begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.record(event, stream);
  static_cast<void>(fixture.device().end_capture(stream).value());
  return event;
}

TEST(CaptureRules, LeaveNothingToAskOfTheEventOfACaptureThatHasEnded) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Event event = event_of_an_ended_capture(fixture);
  const Event other = device.create_event(device::EventKind::timing).value();
  fixture.record(other, stream);
  EXPECT_EQ(device.query(event), Status::invalid_value);
  EXPECT_EQ(device.synchronize(event), Status::invalid_value);
  EXPECT_EQ(status_of(device.elapsed_ms(event, other)), Status::invalid_value);
  EXPECT_EQ(status_of(device.elapsed_ms(other, event)), Status::invalid_value);
  EXPECT_EQ(device.wait(stream, event), Status::invalid_value);
  EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::none) << "nothing was joined";
  fixture.record(event, stream);
  EXPECT_EQ(device.synchronize(event), Status::success) << "recorded anew, outside a capture";
}

// "A stream in capture mode may not wait for an event from outside its capture", one that has
// ended included.
TEST(CaptureRules, SpoilACaptureThatWaitsForOneThatHasEnded) {
  const Fixture fixture;
  const Event event = event_of_an_ended_capture(fixture);
  const Stream stream = fixture.stream();
  check(fixture.device().begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(fixture.device().wait(stream, event), Status::invalid_value);
  EXPECT_EQ(fixture.device().capture_info(stream).value().status, CaptureStatus::invalidated);
}

// cudaErrorCapturedEvent: "The operation is not permitted on an event which was last recorded
// in a capturing stream."
TEST(CaptureRules, TellNoTimeOfACapturedEvent) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Event captured = device.create_event(device::EventKind::timing).value();
  const Event other = device.create_event(device::EventKind::timing).value();
  for (const Event event : {captured, other}) fixture.record(event, stream);
  check(device.synchronize(), "synchronize");
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.record(captured, stream);
  EXPECT_EQ(status_of(device.elapsed_ms(captured, other)), Status::captured_event);
  EXPECT_EQ(status_of(device.elapsed_ms(other, captured)), Status::captured_event);
}

TEST(CaptureRules, SpoilTheCaptureForWhoeverCannotJoinIt) {
  for (const bool by_default_stream : {false, true}) {
    const Fixture fixture;
    Device& device = fixture.device();
    const Stream stream = fixture.stream();
    const Stream other = fixture.stream();
    const Event event = fixture.event();
    check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
    fixture.record(event, stream);
    if (by_default_stream) {
      EXPECT_EQ(device.wait(device::legacy_default_stream, event), Status::stream_capture_implicit);
    } else {  // cudaErrorStreamCaptureMerge: "a merge of two separate capture sequences"
      check(device.begin_capture(other, CaptureMode::relaxed), "begin_capture");
      EXPECT_EQ(device.wait(other, event), Status::stream_capture_merge);
      EXPECT_EQ(device.capture_info(other).value().status, CaptureStatus::invalidated);
    }
    EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::invalidated);
  }
}

TEST(CaptureRules, LetNobodyJoinASpoiltCapture) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream other = fixture.stream();
  const Event event = fixture.event();
  auto* const memory = fixture.memory(10);
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.record(event, stream);
  EXPECT_EQ(device.query(stream), Status::stream_capture_unsupported);
  EXPECT_EQ(device.wait(other, event), Status::stream_capture_invalidated);
  EXPECT_EQ(device.capture_info(other).value().status, CaptureStatus::none);
  EXPECT_EQ(device.fill(memory, 1, 4, stream), Status::stream_capture_invalidated);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_invalidated);
}

// cudaErrorStreamCaptureUnmatched: "The capture was not initiated in this stream."
TEST(CaptureRules, SpoilACaptureThatIsToEndOnItsFork) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream branch = fixture.stream();
  check(device.begin_capture(stream, CaptureMode::relaxed), "begin_capture");
  fixture.order(stream, branch);
  EXPECT_EQ(status_of(device.end_capture(branch)), Status::stream_capture_unmatched);
  for (const Stream one : {stream, branch}) {
    EXPECT_EQ(device.capture_info(one).value().status, CaptureStatus::invalidated);
  }
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_invalidated);
}

// A capture ends with the call that was to end it, also where that says that it went badly.
TEST(CaptureRules, EndACaptureThatEndsBadly) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream branch = fixture.stream();
  auto* const memory = fixture.memory(10);
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  fixture.order(stream, branch);
  fixture.iota(memory, 10, branch);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_unjoined);
  for (const Stream one : {stream, branch}) {
    EXPECT_EQ(device.capture_info(one).value().status, CaptureStatus::none);
    EXPECT_EQ(device.fill(memory, 1, 4, one), Status::success);
    EXPECT_EQ(device.synchronize(one), Status::success);
  }
  EXPECT_EQ(status_of(device.allocate(64)), Status::success);
}

TEST(CaptureRules, WantEveryForkJoined) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream joined = fixture.stream();
  const Stream left = fixture.stream();
  auto* const memory = fixture.memory(30);
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  for (const Stream branch : {joined, left}) fixture.order(stream, branch);
  fixture.iota(memory, 10, joined);
  fixture.iota(memory + 10, 10, left);
  fixture.order(joined, stream);
  fixture.iota(memory + 20, 10, stream);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_unjoined) << "one of two is";
}

TEST(CaptureRules, NameADependencyOnceHoweverOftenItIsWaitedFor) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  const Stream branch = fixture.stream();
  auto* const memory = fixture.memory(20);
  const Event forked = fixture.event();
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  fixture.iota(memory, 10, stream);
  fixture.record(forked, stream);
  for (int i = 0; i < 3; ++i) fixture.wait(branch, forked);
  EXPECT_EQ(device.capture_dependencies(branch).value().size(), 1U);
  fixture.iota(memory + 10, 10, branch);
  for (int i = 0; i < 3; ++i) fixture.order(branch, stream);
  EXPECT_EQ(device.capture_dependencies(stream).value().size(), 2U);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::success);
}

TEST(CaptureRules, LetMemoryOfACaptureBeFreedInItOnce) {
  const Fixture fixture;
  Device& device = fixture.device();
  const Stream stream = fixture.stream();
  check(device.begin_capture(stream, CaptureMode::global), "begin_capture");
  void* const memory = device.allocate_async(64, stream).value();
  EXPECT_EQ(device.free_async(memory, stream), Status::success);
  EXPECT_EQ(device.free_async(memory, stream), Status::invalid_value);
  const device::Graph graph = device.end_capture(stream).value();
  EXPECT_EQ(device.node_count(graph).value(), 2U);
}

}  // namespace
}  // namespace gpucheck::sim
