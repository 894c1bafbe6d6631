#include "device/tests/suites.hpp"

// Programming guide, "Cross-stream dependencies and events": a wait on a captured
// event takes the waiting stream into the capture; it must be joined to the origin.
namespace gpucheck::device::contract {
namespace {

TEST_P(CaptureFork, AWaitTakesTheStreamIntoTheCapture) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  const auto join = make_event();
  const auto graph = capture(origin.get(), [&] {
    record(fork, origin.get());
    wait(branch.get(), fork);
    const CaptureInfo info = device().capture_info(branch.get()).value();
    EXPECT_EQ(info.status, CaptureStatus::active);
    EXPECT_EQ(info.id, device().capture_info(origin.get()).value().id);
    spin(branch.get());
    record(join, branch.get());
    wait(origin.get(), join);
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 1U);
}

TEST_P(CaptureFork, TheBranchLeavesTheCaptureWhenItEnds) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  const auto join = make_event();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(origin.get(), [&] {
    record(fork, origin.get());
    wait(branch.get(), fork);
    spin(branch.get());
    record(join, branch.get());
    wait(origin.get(), join);
  });
  EXPECT_EQ(device().capture_info(branch.get()).value().status, CaptureStatus::none);
  run(kernels::Fill<std::int32_t>{array.data(), 1}, medium_size, branch.get());
  EXPECT_EQ(read(array, branch.get()), std::vector<std::int32_t>(medium_size, 1));
}

TEST_P(CaptureFork, ForkAndJoinKeepTheirOrderInTheGraph) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  const auto join = make_event();
  const auto one = make_array<std::int32_t>(medium_size);
  const auto other = make_array<std::int32_t>(medium_size);
  const auto graph = capture(origin.get(), [&] {
    spin(origin.get());
    run(kernels::Fill<std::int32_t>{one.data(), 1}, medium_size, origin.get());
    record(fork, origin.get());
    wait(branch.get(), fork);
    spin(branch.get(), std::chrono::milliseconds(20));
    run(kernels::AddScalar<std::int32_t>{one.data(), other.data(), 10}, medium_size, branch.get());
    record(join, branch.get());
    wait(origin.get(), join);
    run(kernels::AddScalar<std::int32_t>{other.data(), one.data(), 100}, medium_size, origin.get());
  });
  const auto executable = instantiate(graph);
  launch(executable, origin.get());
  EXPECT_EQ(read(one, origin.get()), std::vector<std::int32_t>(medium_size, 111));
}

TEST_P(CaptureFork, SeveralBranchesMayJoin) {
  constexpr std::size_t branches = 4;
  const auto origin = make_stream();
  const auto fork = make_event();
  const auto array = make_array<std::int32_t>(branches * medium_size);
  std::vector<UniqueStream> streams;
  std::vector<UniqueEvent> joins;
  for (std::size_t i = 0; i < branches; ++i) {
    streams.push_back(make_stream());
    joins.push_back(make_event());
  }
  const auto graph = capture(origin.get(), [&] {
    record(fork, origin.get());
    for (std::size_t i = 0; i < branches; ++i) {
      wait(streams[i].get(), fork);
      run(kernels::Fill<std::int32_t>{array.data() + i * medium_size, 1}, medium_size, streams[i].get());
      record(joins[i], streams[i].get());
      wait(origin.get(), joins[i]);
    }
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, array.size(), origin.get());
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), branches + 1);
  launch(instantiate(graph), origin.get());
  EXPECT_EQ(read(array, origin.get()), std::vector<std::int32_t>(branches * medium_size, 2));
}

// cudaErrorStreamCaptureUnjoined: the capture contains a fork that was not joined to
// the primary stream.
TEST_P(CaptureFork, UnjoinedWorkIsRejectedAtTheEnd) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  check(device().begin_capture(origin.get(), CaptureMode::global), "begin_capture");
  record(fork, origin.get());
  wait(branch.get(), fork);
  spin(branch.get());
  EXPECT_EQ(status_of(device().end_capture(origin.get())), Status::stream_capture_unjoined);
  EXPECT_EQ(device().capture_info(origin.get()).value().status, CaptureStatus::none);
  EXPECT_EQ(device().capture_info(branch.get()).value().status, CaptureStatus::none);
}

TEST_P(CaptureFork, WorkAfterTheJoinIsUnjoinedAgain) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  const auto join = make_event();
  check(device().begin_capture(origin.get(), CaptureMode::global), "begin_capture");
  record(fork, origin.get());
  wait(branch.get(), fork);
  spin(branch.get());
  record(join, branch.get());
  wait(origin.get(), join);
  spin(branch.get());
  EXPECT_EQ(status_of(device().end_capture(origin.get())), Status::stream_capture_unjoined);
}

// cudaErrorStreamCaptureUnmatched: the capture was not initiated in this stream.
TEST_P(CaptureFork, EndingOnTheBranchIsUnmatched) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto fork = make_event();
  check(device().begin_capture(origin.get(), CaptureMode::global), "begin_capture");
  record(fork, origin.get());
  wait(branch.get(), fork);
  EXPECT_EQ(status_of(device().end_capture(branch.get())), Status::stream_capture_unmatched);
  // What is left of the capture, if anything, is ended where it began.
  if (const auto graph = device().end_capture(origin.get()); graph.has_value()) {
    EXPECT_EQ(device().destroy_graph(*graph), Status::success);
  }
  EXPECT_EQ(device().capture_info(origin.get()).value().status, CaptureStatus::none);
}

// cudaErrorStreamCaptureMerge: a merge of two independent capture sequences.
TEST_P(CaptureFork, AWaitForAnotherCaptureIsAMerge) {
  const auto one = make_stream();
  const auto other = make_stream();
  const auto event = make_event();
  check(device().begin_capture(one.get(), CaptureMode::global), "begin_capture");
  check(device().begin_capture(other.get(), CaptureMode::global), "begin_capture");
  record(event, one.get());
  EXPECT_EQ(device().wait(other.get(), event.get()), Status::stream_capture_merge);
  for (const Stream stream : {one.get(), other.get()}) {
    if (const auto graph = device().end_capture(stream); graph.has_value()) {
      EXPECT_EQ(device().destroy_graph(*graph), Status::success);
    }
  }
}

// cudaErrorStreamCaptureIsolation: a dependency that crosses the capture's boundary.
TEST_P(CaptureFork, AWaitForWorkOutsideTheCaptureIsIsolated) {
  const auto capturing = make_stream();
  const auto outside = make_stream();
  const auto event = make_event();
  spin(outside.get());
  record(event, outside.get());
  check(device().begin_capture(capturing.get(), CaptureMode::global), "begin_capture");
  EXPECT_EQ(device().wait(capturing.get(), event.get()), Status::stream_capture_isolation);
  EXPECT_EQ(status_of(device().end_capture(capturing.get())), Status::stream_capture_invalidated);
  synchronize(outside.get());
}

}  // namespace
}  // namespace gpucheck::device::contract
