#include "device/tests/suites.hpp"

// Memory nodes: cudaMallocAsync and cudaFreeAsync in a capture; programming guide,
// "Graph memory nodes". Executables are instantiated with
// cudaGraphInstantiateFlagAutoFreeOnLaunch.
namespace gpucheck::device::contract {
namespace {

constexpr std::size_t bytes = medium_size * sizeof(std::int32_t);

TEST_P(GraphMemory, AllocationAndFreeAreNodes) {
  const auto stream = make_stream();
  const auto graph = capture(stream.get(), [&] {
    void* const memory = device().allocate_async(bytes, stream.get()).value();
    check(device().free_async(memory, stream.get()), "free_async");
  });
  EXPECT_EQ(device().node_count(graph.get()).value(), 2U);
}

TEST_P(GraphMemory, EveryLaunchHasTheMemory) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(medium_size);
  run(kernels::Fill<std::int32_t>{array.data(), 0}, medium_size, stream.get());
  const auto graph = capture(stream.get(), [&] {
    auto* const memory = static_cast<std::int32_t*>(device().allocate_async(bytes, stream.get()).value());
    run(kernels::AddScalar<std::int32_t>{array.data(), memory, 1}, medium_size, stream.get());
    run(kernels::AddScalar<std::int32_t>{memory, array.data(), 1}, medium_size, stream.get());
    check(device().free_async(memory, stream.get()), "free_async");
  });
  const auto executable = instantiate(graph);
  for (int i = 0; i < 3; ++i) launch(executable, stream.get());
  EXPECT_EQ(read(array, stream.get()), std::vector<std::int32_t>(medium_size, 6));
}

// "... automatically free any unfreed memory allocations before the graph is
// relaunched"; without that flag the second launch would be an invalid value.
TEST_P(GraphMemory, UnfreedMemoryIsFreedByTheNextLaunch) {
  const auto stream = make_stream();
  std::int32_t* memory = nullptr;
  const auto graph = capture(stream.get(), [&] {
    memory = static_cast<std::int32_t*>(device().allocate_async(bytes, stream.get()).value());
    run(kernels::Fill<std::int32_t>{memory, 5}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(device().launch(executable.get(), stream.get()), Status::success);
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

// The address is fixed at the capture and may be used by work outside the graph once
// the graph was launched.
TEST_P(GraphMemory, UnfreedMemoryIsUsableAfterTheLaunch) {
  const auto stream = make_stream();
  const auto result = make_array<std::int32_t>(medium_size);
  std::int32_t* memory = nullptr;
  const auto graph = capture(stream.get(), [&] {
    memory = static_cast<std::int32_t*>(device().allocate_async(bytes, stream.get()).value());
    run(kernels::Fill<std::int32_t>{memory, 5}, medium_size, stream.get());
  });
  const auto executable = instantiate(graph);
  launch(executable, stream.get());
  run(kernels::AddScalar<std::int32_t>{memory, result.data(), 1}, medium_size, stream.get());
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  EXPECT_EQ(read(result, stream.get()), std::vector<std::int32_t>(medium_size, 6));
}

// cudaGraphInstantiate: a graph with allocation nodes has at most one executable at a time.
TEST_P(GraphMemory, AGraphThatAllocatesHasOneExecutableAtATime) {
  const auto stream = make_stream();
  const auto graph = capture(stream.get(), [&] {
    void* const memory = device().allocate_async(bytes, stream.get()).value();
    check(device().free_async(memory, stream.get()), "free_async");
  });
  {
    const auto executable = instantiate(graph);
    EXPECT_NE(status_of(device().instantiate(graph.get())), Status::success);
  }
  const auto again = instantiate(graph);
  EXPECT_EQ(device().launch(again.get(), stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

// "During stream capture, this function ... must be passed the address of a graph
// allocation."
TEST_P(GraphMemory, FreeingOtherMemoryInACaptureIsRejected) {
  const auto stream = make_stream();
  void* const memory = device().allocate_async(bytes, stream.get()).value();
  check(device().begin_capture(stream.get(), CaptureMode::global), "begin_capture");
  EXPECT_NE(device().free_async(memory, stream.get()), Status::success);
  if (const auto graph = device().end_capture(stream.get()); graph.has_value()) {
    check(device().destroy_graph(*graph), "destroy_graph");
  }
  EXPECT_EQ(device().free_async(memory, stream.get()), Status::success);
  EXPECT_EQ(device().synchronize(stream.get()), Status::success);
}

}  // namespace
}  // namespace gpucheck::device::contract
