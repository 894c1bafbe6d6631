#include <thread>

#include "device/tests/suites.hpp"

// cudaGraphLaunch: "Each launch is ordered behind both any previous work in stream and
// any previous launches of graphExec. To execute a graph concurrently, it must be
// instantiated multiple times."
namespace gpucheck::device::contract {
namespace {

TEST_P(GraphOrder, ALaunchFollowsTheWorkBeforeIt) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  spin(stream.get());
  run(kernels::Fill<std::int32_t>{array.data(), 10}, medium_size, stream.get());
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 11));
}

TEST_P(GraphOrder, WorkAfterALaunchFollowsIt) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    spin(stream.get());
    run(kernels::Fill<std::int32_t>{array.data(), 20}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  launch(executable, stream.get());
  run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 21));
}

TEST_P(GraphOrder, AnEventAfterALaunchCoversIt) {
  const auto stream = make_stream();
  const auto other = make_stream();
  const auto event = make_event();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    spin(stream.get());
    run(kernels::Fill<std::int32_t>{array.data(), 20}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  launch(executable, stream.get());
  record(event, stream.get());
  EXPECT_EQ(device().query(event.get()), Status::not_ready);
  wait(other.get(), event);
  EXPECT_EQ(read(array, other.get()), std::vector<std::int32_t>(medium_size, 20));
}

// The increments are not atomic: were two launches to overlap, some would be lost.
TEST_P(GraphOrder, LaunchesOfOneExecutableOnTwoStreamsNeverOverlap) {
  constexpr int launches = 50;
  const auto one = make_stream();
  const auto other = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  check(device().fill(array.data(), 0, array.bytes(), one.get()), "fill");
  const auto graph = capture(one.get(), [&] {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, one.get());
  });
  const auto executable = instantiate(graph);
  synchronize(one.get());
  for (int i = 0; i < launches; ++i) {
    launch(executable, one.get());
    launch(executable, other.get());
  }
  synchronize(one.get());
  EXPECT_EQ(read(array, other.get()), std::vector<std::int32_t>(medium_size, 2 * launches));
}

TEST_P(GraphOrder, ASecondLaunchWaitsForTheFirstOnAnotherStream) {
  const auto one = make_stream();
  const auto other = make_stream();
  const auto executable = instantiate(capture(one.get(), [&] { spin(one.get()); }));
  launch(executable, one.get());
  launch(executable, other.get());
  EXPECT_EQ(device().synchronize(one.get()), Status::success);
  EXPECT_EQ(device().query(other.get()), Status::not_ready);
  synchronize(other.get());
}

TEST_P(GraphOrder, DifferentExecutablesMayOverlap) {
  const auto slow = make_stream();
  const auto quick = make_stream();
  const auto long_graph = instantiate(capture(slow.get(), [&] { spin(slow.get(), 2 * busy); }));
  const auto short_graph = instantiate(capture(quick.get(), [&] { spin(quick.get(), std::chrono::milliseconds(1)); }));
  launch(long_graph, slow.get());
  launch(short_graph, quick.get());
  EXPECT_EQ(device().synchronize(quick.get()), Status::success);
  EXPECT_EQ(device().query(slow.get()), Status::not_ready);
  synchronize(slow.get());
}

TEST_P(GraphOrder, LaunchedInTheLegacyStreamItWaitsForBlockingStreams) {
  const auto blocking = make_stream(StreamKind::blocking);
  const auto captured_on = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto executable = instantiate(capture(captured_on.get(), [&] {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, captured_on.get());
  }));
  spin(blocking.get());
  run(kernels::Fill<std::int32_t>{array.data(), 1}, medium_size, blocking.get());
  launch(executable, legacy_default_stream);
  EXPECT_EQ(read(array, legacy_default_stream), std::vector<std::int32_t>(medium_size, 2));
}

TEST_P(GraphOrder, ThreadsMayLaunchTheirOwnExecutables) {
  constexpr std::size_t thread_count = 4;
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  check(device().fill(array.data(), 0, array.bytes(), stream.get()), "fill");
  const auto graph = capture(stream.get(), [&] {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, stream.get());
  });
  std::vector<UniqueGraphExec> executables;
  for (std::size_t i = 0; i < thread_count; ++i) executables.push_back(instantiate(graph));
  std::vector<std::jthread> threads;
  for (const UniqueGraphExec& executable : executables) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) EXPECT_EQ(device().launch(executable.get(), stream.get()), Status::success);
    });
  }
  threads.clear();
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, thread_count * 10));
}

}  // namespace
}  // namespace gpucheck::device::contract
