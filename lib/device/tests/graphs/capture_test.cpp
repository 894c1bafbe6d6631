#include <atomic>
#include <thread>

#include "device/tests/suites.hpp"

// cudaStreamBeginCapture, cudaStreamEndCapture, cudaStreamGetCaptureInfo: what goes in.
namespace gpucheck::device::contract {
namespace {

TEST_P(Capture, StatusFollowsBeginAndEnd) {
  const auto stream = make_stream();
  const auto status = [&] { return device().capture_info(stream.get()).value().status; };
  EXPECT_EQ(status(), CaptureStatus::none);
  ASSERT_EQ(device().begin_capture(stream.get(), CaptureMode::global), Status::success);
  EXPECT_EQ(status(), CaptureStatus::active);
  const auto graph = own<UniqueGraph>(device(), device().end_capture(stream.get()));
  EXPECT_EQ(status(), CaptureStatus::none);
}

// cudaStreamGetCaptureInfo: the id is unique over the lifetime of the process.
TEST_P(Capture, EachHasItsOwnId) {
  const auto stream = make_stream();
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(capture(stream.get(), [&] { ids.push_back(device().capture_info(stream.get()).value().id); }));
  }
  EXPECT_NE(ids[0], 0U);
  EXPECT_NE(ids[1], 0U);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(device().capture_info(stream.get()).value().id, 0U);
}

TEST_P(Capture, CapturedWorkDoesNotRun) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, medium_size, stream.get());
  const auto graph = capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 2}, medium_size, stream.get());
  });
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 1));
}

TEST_P(Capture, OfNothingGivesAnEmptyGraph) {
  const auto stream = make_stream();
  const auto graph = capture(stream.get(), [] {});
  EXPECT_EQ(device().node_count(graph.get()).value(), 0U);
}

TEST_P(Capture, EveryKindOfWorkIsANode) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto pinned = make_pinned<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    check(device().fill(array.data(), 0, array.bytes(), stream.get()), "fill");
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, stream.get());
    check(device().copy(pinned.data(), array.data(), array.bytes(), CopyKind::device_to_host, stream.get()), "copy");
    check(device().host_callback(
              stream.get(), [](void*) {}, nullptr),
          "host_callback");
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 4U);
}

TEST_P(Capture, RecordsAndWaitsAreNoNodes) {
  const auto stream = make_stream();
  const auto event = make_event();
  const auto graph = capture(stream.get(), [&] {
    spin(stream.get());
    record(event, stream.get());
    wait(stream.get(), event);
    spin(stream.get());
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 2U);
}

TEST_P(Capture, MayBeginOnAStreamWithWorkPending) {
  const auto stream = make_stream();
  const auto event = make_event();
  spin(stream.get());
  record(event, stream.get());
  const auto graph = capture(stream.get(), [&] { spin(stream.get(), std::chrono::milliseconds(1)); });
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  synchronize(stream.get());
}

TEST_P(Capture, LeavesOtherStreamsRunning) {
  const auto capturing = make_stream();
  const auto other = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(capturing.get(), [&] {
    spin(capturing.get());
    EXPECT_EQ(device().capture_info(other.get()).value().status, CaptureStatus::none);
    run(kernels::Fill<std::int32_t>{array.data(), 5}, medium_size, other.get());
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 1U);
  EXPECT_EQ(read(array, other.get()), std::vector<std::int32_t>(medium_size, 5));
}

TEST_P(Capture, OnANonBlockingStreamLeavesTheLegacyStreamUsable) {
  const auto stream = make_stream(StreamKind::non_blocking);
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    spin(stream.get());
    EXPECT_EQ(
        device::launch(device(), kernels::Fill<std::int32_t>{array.data(), 5}, medium_size, legacy_default_stream),
        Status::success);
  });
  EXPECT_EQ(read(array, legacy_default_stream), std::vector<std::int32_t>(medium_size, 5));
}

TEST_P(Capture, TwoStreamsMayCaptureSeparately) {
  const auto one = make_stream();
  const auto other = make_stream();
  check(device().begin_capture(one.get(), CaptureMode::global), "begin_capture");
  check(device().begin_capture(other.get(), CaptureMode::global), "begin_capture");
  spin(one.get());
  spin(one.get());
  spin(other.get());
  EXPECT_NE(device().capture_info(one.get()).value().id, device().capture_info(other.get()).value().id);
  const auto graph_of_one = own<UniqueGraph>(device(), device().end_capture(one.get()));
  const auto graph_of_other = own<UniqueGraph>(device(), device().end_capture(other.get()));
  EXPECT_EQ(device().node_count(graph_of_one.get()).value(), 2U);
  EXPECT_EQ(device().node_count(graph_of_other.get()).value(), 1U);
}

TEST_P(Capture, TakesWorkFromOtherThreads) {
  const auto stream = make_stream();
  const auto graph = capture(stream.get(), [&] {
    std::jthread([&] {
      EXPECT_EQ(device::launch(device(), kernels::Spin{1}, 1, stream.get()), Status::success);
    }).join();
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 1U);
}

TEST_P(Capture, AHostFunctionIsCalledOnlyByTheGraph) {
  const auto stream = make_stream();
  std::atomic<int> calls{0};
  const auto graph = capture(stream.get(), [&] {
    check(device().host_callback(
              stream.get(), [](void* argument) { ++*static_cast<std::atomic<int>*>(argument); }, &calls),
          "host_callback");
  });
  synchronize(stream.get());
  EXPECT_EQ(calls, 0);
  const auto executable = instantiate(graph);
  for (int i = 0; i < 3; ++i) launch(executable, stream.get());
  synchronize(stream.get());
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace gpucheck::device::contract
