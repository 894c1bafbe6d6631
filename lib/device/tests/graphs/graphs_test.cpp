#include <algorithm>

#include "device/tests/suites.hpp"

// cudaGraphInstantiate and cudaGraphLaunch.
namespace gpucheck::device::contract {
namespace {

TEST_P(Graphs, ALaunchRunsTheCapturedWork) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 2}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  EXPECT_EQ(device().launch(executable.get(), stream.get()), Status::success);
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 2));
}

TEST_P(Graphs, EveryLaunchRunsItOnce) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  run(kernels::Fill<std::int32_t>{array.data(), 0}, medium_size, stream.get());
  const auto graph = capture(stream.get(), [&] {
    run(kernels::AddScalar<std::int32_t>{array.data(), array.data(), 1}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  for (int i = 0; i < 100; ++i) launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 100));
}

TEST_P(Graphs, AnEmptyGraphLaunches) {
  const auto stream = make_stream();
  const auto executable = instantiate(capture(stream.get(), [] {}));
  EXPECT_EQ(device().launch(executable.get(), stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

TEST_P(Graphs, TheExecutableOutlivesTheGraph) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  auto graph = capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 8}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  EXPECT_EQ(device().destroy_graph(graph.release()), Status::success);
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 8));
}

TEST_P(Graphs, OneGraphMakesSeveralExecutables) {
  const auto stream = make_stream();
  const auto counter = make_array<std::uint64_t>(1);
  check(device().fill(counter.data(), 0, counter.bytes(), stream.get()), "fill");
  const auto graph = capture(stream.get(), [&] { run(kernels::Count{counter.data(), 1}, 10, stream.get()); });
  const auto one = instantiate(graph);
  const auto other = instantiate(graph);
  launch(one, stream.get());
  launch(other, stream.get());
  EXPECT_EQ(read(counter, stream.get()), std::vector<std::uint64_t>{20});
}

TEST_P(Graphs, RunOnAnotherStreamThanTheyWereCapturedOn) {
  const auto captured_on = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(captured_on.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 6}, medium_size, captured_on.get());
  });
  const auto executable = instantiate(graph);
  launch(executable, legacy_default_stream);
  EXPECT_EQ(read(array, legacy_default_stream), std::vector<std::int32_t>(medium_size, 6));
}

TEST_P(Graphs, KeepTheArgumentsOfTheCapture) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  kernels::Fill<std::int32_t> fill{array.data(), 1};
  const auto graph = capture(stream.get(), [&] { run(fill, medium_size, stream.get()); });
  fill.value = 2;
  launch(instantiate(graph), stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 1));
}

TEST_P(Graphs, ReadMemoryAsItIsAtTheLaunch) {
  const auto stream = make_stream();
  const auto source = make_pinned<std::int32_t>(medium_size);
  const auto array = make_array<std::int32_t>(medium_size);
  std::ranges::fill(source.span(), 1);
  const auto graph = capture(stream.get(), [&] {
    check(device().copy(array.data(), source.data(), array.bytes(), CopyKind::host_to_device, stream.get()), "copy");
  });
  const auto executable = instantiate(graph);
  for (const std::int32_t value : {5, 6}) {
    std::ranges::fill(source.span(), value);
    launch(executable, stream.get());
    EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, value));
  }
}

TEST_P(Graphs, CarryFillsAndCopiesOut) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto other = make_array<std::int32_t>(medium_size);
  const auto landing = make_pinned<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    check(device().fill(array.data(), 1, array.bytes(), stream.get()), "fill");
    check(device().copy(other.data(), array.data(), array.bytes(), CopyKind::device_to_device, stream.get()), "copy");
    check(device().copy(landing.data(), other.data(), other.bytes(), CopyKind::device_to_host, stream.get()), "copy");
  });
  launch(instantiate(graph), stream.get());
  synchronize(stream.get());
  EXPECT_EQ(std::vector(landing.span().begin(), landing.span().end()),
            std::vector<std::int32_t>(medium_size, 0x01010101));
}

TEST_P(Graphs, LaunchDoesNotWait) {
  const auto stream = make_stream();
  const auto executable = instantiate(capture(stream.get(), [&] { spin(stream.get()); }));
  launch(executable, stream.get());
  EXPECT_EQ(device().query(stream.get()), Status::not_ready);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

TEST_P(Graphs, AFailedCaptureLeavesEarlierGraphsUsable) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  const auto graph = capture(stream.get(), [&] {
    run(kernels::Fill<std::int32_t>{array.data(), 3}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  ASSERT_NE(device().synchronize(stream.get()), Status::success);
  ASSERT_EQ(status_of(device().end_capture(stream.get())), Status::stream_capture_invalidated);
  launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 3));
}

}  // namespace
}  // namespace gpucheck::device::contract
