#include "device/tests/suites.hpp"

// Programming guide, "Prohibited and unhandled operations" and "Invalidation": an
// operation that is not allowed returns its own error and invalidates the captures it
// touched; then only cudaStreamEndCapture is possible, and it gives no graph.
namespace gpucheck::device::contract {
namespace {

/// The capture on `stream` is spoilt, can be ended only so, and then is gone.
void expect_invalidated(Device& device, Stream stream) {
  EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::invalidated);
  EXPECT_EQ(device::launch(device, kernels::Spin{1}, 1, stream), Status::stream_capture_invalidated);
  EXPECT_EQ(status_of(device.end_capture(stream)), Status::stream_capture_invalidated);
  EXPECT_EQ(device.capture_info(stream).value().status, CaptureStatus::none);
  EXPECT_EQ(device.synchronize(stream), Status::success);
}

TEST_P(BrokenCapture, SynchronizingTheStream) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device().synchronize(stream.get()), Status::stream_capture_unsupported);
  expect_invalidated(device(), stream.get());
}

TEST_P(BrokenCapture, QueryingTheStream) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device().query(stream.get()), Status::stream_capture_unsupported);
  expect_invalidated(device(), stream.get());
}

TEST_P(BrokenCapture, SynchronizingTheDevice) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device().synchronize(), Status::stream_capture_unsupported);
  expect_invalidated(device(), stream.get());
}

// cudaErrorCapturedEvent: not permitted on an event last recorded in a capturing stream.
TEST_P(BrokenCapture, QueryingACapturedEvent) {
  const auto stream = make_stream();
  const auto event = make_event();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  record(event, stream.get());
  EXPECT_EQ(device().query(event.get()), Status::captured_event);
  expect_invalidated(device(), stream.get());
}

TEST_P(BrokenCapture, SynchronizingACapturedEvent) {
  const auto stream = make_stream();
  const auto event = make_event();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  record(event, stream.get());
  EXPECT_EQ(device().synchronize(event.get()), Status::captured_event);
  expect_invalidated(device(), stream.get());
}

// cudaErrorStreamCaptureImplicit: a disallowed implicit dependency on a current
// capture from cudaStreamLegacy.
TEST_P(BrokenCapture, UsingTheLegacyStreamBesideABlockingStream) {
  const auto stream = make_stream(StreamKind::blocking);
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device::launch(device(), kernels::Spin{1}, 1, legacy_default_stream), Status::stream_capture_implicit);
  expect_invalidated(device(), stream.get());
}

// cudaStreamGetCaptureInfo on the legacy stream: that error, and the capture lives on.
TEST_P(BrokenCapture, AskingTheLegacyStreamIsRejectedWithoutDamage) {
  const auto stream = make_stream(StreamKind::blocking);
  const auto graph = capture(stream.get(), [&] {
    EXPECT_EQ(status_of(device().capture_info(legacy_default_stream)), Status::stream_capture_implicit);
    EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::active);
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 0U);
}

// "Capture may not be initiated if stream is cudaStreamLegacy."
TEST_P(BrokenCapture, BeginningOnTheLegacyStreamIsRejected) {
  EXPECT_EQ(device().begin_capture(legacy_default_stream, CaptureMode::relaxed), Status::stream_capture_unsupported);
  EXPECT_EQ(device().capture_info(legacy_default_stream).value().status, CaptureStatus::none);
}

// "... only be initiated if the stream is not already in capture mode."
TEST_P(BrokenCapture, BeginningTwiceIsAnIllegalState) {
  const auto stream = make_stream();
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  EXPECT_EQ(device().begin_capture(stream.get(), CaptureMode::relaxed), Status::illegal_state);
  if (const auto graph = device().end_capture(stream.get()); graph.has_value()) {
    EXPECT_EQ(device().destroy_graph(*graph), Status::success);
  }
  EXPECT_EQ(device().capture_info(stream.get()).value().status, CaptureStatus::none);
}

// "Capture must have been initiated on stream."
TEST_P(BrokenCapture, EndingWhatNeverBeganIsAnIllegalState) {
  const auto stream = make_stream();
  EXPECT_EQ(status_of(device().end_capture(stream.get())), Status::illegal_state);
}

TEST_P(BrokenCapture, TheStreamWorksAgainAfterwards) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(1000);
  check(device().begin_capture(stream.get(), CaptureMode::relaxed), "begin_capture");
  ASSERT_NE(device().query(stream.get()), Status::success);
  ASSERT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, array.size(), stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(1000, 1));
  const auto graph = capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 2}, array.size(), stream.get());
  });
  launch(instantiate(graph), stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(1000, 2));
}

}  // namespace
}  // namespace gpucheck::device::contract
