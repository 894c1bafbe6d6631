#include <cstring>

#include "device/tests/kernels/block_probes.hpp"
#include "device/tests/suites.hpp"

// cudaGraphGetNodes, cudaGraphGetEdges and the parameters of nodes.
namespace gpucheck::device::contract {
namespace {

using Places = std::vector<std::size_t>;

TEST_P(GraphNodes, AreNoneInAnEmptyGraph) {
  const auto stream = make_stream();
  EXPECT_TRUE(device().nodes(capture(stream.get(), [] {}).get()).value().empty());
}

TEST_P(GraphNodes, TellAKernelWithItsParameters) {
  const auto stream = make_stream();
  const auto array = make_array<std::int32_t>(small_size);
  const kernels::Fill<std::int32_t> fill{array.data(), 7};
  const auto graph = capture(stream.get(), [&] { run(fill, small_size, stream.get()); });
  const auto nodes = device().nodes(graph.get()).value();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].kind, NodeKind::kernel);
  EXPECT_EQ(nodes[0].kernel, kernels::Fill<std::int32_t>::name);
  EXPECT_EQ(nodes[0].count, small_size);
  EXPECT_EQ(nodes[0].block.threads, 0U);
  ASSERT_EQ(nodes[0].parameters.size(), sizeof(fill));
  kernels::Fill<std::int32_t> seen{};
  std::memcpy(static_cast<void*>(&seen), nodes[0].parameters.data(), sizeof(seen));
  EXPECT_EQ(seen.out, fill.out);
  EXPECT_EQ(seen.value, fill.value);
}

TEST_P(GraphNodes, TellTheShapeOfABlockKernel) {
  const auto stream = make_stream();
  const auto array = make_array<std::uint64_t>(small_size);
  constexpr BlockShape shape{.threads = 32, .shared_bytes = 256};
  const auto graph =
      capture(stream.get(), [&] { run(kernels::RotateInBlocks{array.data()}, small_size, shape, stream.get()); });
  const auto nodes = device().nodes(graph.get()).value();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].kernel, kernels::RotateInBlocks::name);
  EXPECT_EQ(nodes[0].count, small_size);
  EXPECT_EQ(nodes[0].block.threads, shape.threads);
  EXPECT_EQ(nodes[0].block.shared_bytes, shape.shared_bytes);
}

TEST_P(GraphNodes, TellCopiesFillsAndHostFunctions) {
  const auto stream = make_stream();
  const auto from = make_array<std::int32_t>(small_size);
  const auto to = make_array<std::int32_t>(small_size);
  const auto graph = capture(stream.get(), [&] {
    check(device().copy(to.data(), from.data(), from.bytes(), CopyKind::device_to_device, stream.get()), "copy");
    check(device().fill(from.data(), 3, 100, stream.get()), "fill");
    check(device().host_callback(
              stream.get(), [](void*) {}, nullptr),
          "host_callback");
  });
  const auto nodes = device().nodes(graph.get()).value();
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].kind, NodeKind::copy);
  EXPECT_EQ(nodes[0].destination, to.data());
  EXPECT_EQ(nodes[0].source, from.data());
  EXPECT_EQ(nodes[0].bytes, from.bytes());
  EXPECT_EQ(nodes[1].kind, NodeKind::fill);
  EXPECT_EQ(nodes[1].destination, from.data());
  EXPECT_EQ(nodes[1].bytes, 100U);
  EXPECT_EQ(nodes[2].kind, NodeKind::host_function);
  EXPECT_EQ(nodes[2].kernel, "");
}

TEST_P(GraphNodes, TellWhatTheGraphAllocates) {
  const auto stream = make_stream();
  void* memory = nullptr;
  const auto graph = capture(stream.get(), [&] {
    memory = device().allocate_async(4096, stream.get()).value();
    check(device().free_async(memory, stream.get()), "free_async");
  });
  const auto nodes = device().nodes(graph.get()).value();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].kind, NodeKind::allocation);
  EXPECT_EQ(nodes[0].destination, memory);
  EXPECT_EQ(nodes[0].bytes, 4096U);
  EXPECT_EQ(nodes[1].kind, NodeKind::free);
  EXPECT_EQ(nodes[1].destination, memory);
}

TEST_P(GraphNodes, HaveTheEdgesOfForkAndJoin) {
  const auto origin = make_stream();
  const auto branch = make_stream();
  const auto forked = make_event();
  const auto joined = make_event();
  const auto graph = capture(origin.get(), [&] {
    spin(origin.get());
    record(forked, origin.get());
    wait(branch.get(), forked);
    spin(origin.get());
    spin(branch.get());
    record(joined, branch.get());
    wait(origin.get(), joined);
    spin(origin.get());
  });
  const auto nodes = device().nodes(graph.get()).value();
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].dependencies, Places{});
  EXPECT_EQ(nodes[1].dependencies, Places{0});
  EXPECT_EQ(nodes[2].dependencies, Places{0});
  EXPECT_EQ(nodes[3].dependencies, (Places{1, 2}));
}

}  // namespace
}  // namespace gpucheck::device::contract
