#include "runtime/graphs/graph.hpp"

#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/error_of.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

class GraphTest : public testing::Test {
 protected:
  template <typename T>
  T read(const T* pointer) {
    T value{};
    device::check(machine.device().copy(&value, pointer, sizeof(T), device::CopyKind::device_to_host, side), "copy");
    device::check(machine.device().synchronize(side), "synchronize");
    return value;
  }

  Simulated machine;
  Runtime& runtime = machine.runtime();
  device::Stream side = machine.side_stream();
};

TEST_F(GraphTest, ReplaysWhatItCaptured) {
  const CurrentStreamGuard current(runtime, side);
  Buffer<std::int64_t> counter(runtime, 1, side);
  ops::fill(runtime, counter.data(), 1, std::int64_t{10}, side);
  Graph graph(runtime);
  graph.capture_begin();
  ops::add(runtime, counter.data(), counter.data(), 1, std::int64_t{5}, side);
  graph.capture_end();
  EXPECT_EQ(read(counter.data()), 10);
  for (int i = 0; i < 3; ++i) graph.replay();
  EXPECT_EQ(read(counter.data()), 25);
  EXPECT_TRUE(runtime.warnings().empty());
  EXPECT_TRUE(machine.driver().races().empty());
}

TEST_F(GraphTest, ItsMemoryIsItsPools) {
  const CurrentStreamGuard current(runtime, side);
  Buffer<std::uint8_t> input(runtime, 512, side);
  auto graph = std::make_unique<Graph>(runtime);
  graph->capture_begin();
  Buffer<std::uint8_t> output(runtime, 512, side);
  { const Buffer<std::uint8_t> temporary(runtime, 512, side); }
  ops::fill(runtime, output.data(), 512, std::uint8_t{1}, side);
  graph->capture_end();
  EXPECT_EQ(runtime.allocator().stats().segment.all.current, 2);
  EXPECT_NE(graph->pool(), PoolId{});
  EXPECT_EQ(graph->pool().second, 0U);
  EXPECT_EQ(runtime.allocator().pool_use_count(graph->pool()), 1);
  graph.reset();
  runtime.allocator().empty_cache();
  EXPECT_EQ(runtime.allocator().stats().segment.all.current, 2);  // the output still lives
  output = {};
  runtime.allocator().empty_cache();
  EXPECT_EQ(runtime.allocator().stats().segment.all.current, 1);
}

TEST_F(GraphTest, RejectsTheDefaultStreamButReplaysThere) {
  Graph graph(runtime);
  EXPECT_EQ(error_of([&] { graph.capture_begin(); }),
            "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them on "
            "the default stream.)");
  Buffer<std::int64_t> counter(runtime, 1, side);
  {
    const CurrentStreamGuard current(runtime, side);
    graph.capture_begin();
    ops::fill(runtime, counter.data(), 1, std::int64_t{7}, side);
    graph.capture_end();
  }
  graph.replay();
  ASSERT_EQ(machine.device().synchronize(), device::Status::success);
  EXPECT_EQ(read(counter.data()), 7);
}

TEST_F(GraphTest, WarnsWhenItIsEmpty) {
  const CurrentStreamGuard current(runtime, side);
  Graph graph(runtime);
  graph.capture_begin();
  graph.capture_end();
  ASSERT_EQ(runtime.warnings().size(), 1U);
  EXPECT_EQ(runtime.warnings()[0],
            "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device "
            "or stream.");
}

TEST_F(GraphTest, CanBeResetAndCapturedAgain) {
  const CurrentStreamGuard current(runtime, side);
  Buffer<std::int64_t> counter(runtime, 1, side);
  Graph graph(runtime);
  for (const std::int64_t value : {std::int64_t{3}, std::int64_t{4}}) {
    graph.capture_begin();
    ops::fill(runtime, counter.data(), 1, value, side);
    graph.capture_end();
    graph.replay();
    EXPECT_EQ(read(counter.data()), value);
    EXPECT_EQ(error_of([&] { graph.capture_begin(); }).substr(0, 53),
              "This CUDAGraph instance already owns a captured graph");
    graph.reset();
  }
}

TEST_F(GraphTest, RejectsCallsOutOfOrder) {
  Graph graph(runtime);
  EXPECT_EQ(error_of([&] { graph.replay(); }), "Called CUDAGraph::replay without a preceding successful capture.");
  EXPECT_EQ(error_of([&] { static_cast<void>(graph.pool()); }),
            "Called CUDAGraph::pool() without a preceding successful capture.");
  const CurrentStreamGuard current(runtime, side);
  graph.capture_begin();
  {
    const CurrentStreamGuard other(runtime, machine.side_stream());
    EXPECT_EQ(error_of([&] { graph.capture_end(); }), "Capture must end on the same stream it began on.");
  }
  graph.capture_end();
}

TEST_F(GraphTest, SharesAPool) {
  const CurrentStreamGuard current(runtime, side);
  Graph first(runtime);
  first.capture_begin(graph_pool_handle());
  { const Buffer<std::uint8_t> temporary(runtime, 1_MiB, side); }
  first.capture_end();
  Graph second(runtime);
  second.capture_begin(first.pool());
  { const Buffer<std::uint8_t> temporary(runtime, 1_MiB, side); }
  second.capture_end();
  EXPECT_EQ(runtime.allocator().pool_use_count(first.pool()), 2);
  EXPECT_EQ(runtime.allocator().stats().segment.all.current, 2);  // one has the generator's numbers
}

TEST_F(GraphTest, ABrokenCaptureLeavesTheAllocatorUsable) {
  const CurrentStreamGuard current(runtime, side);
  Graph graph(runtime);
  graph.capture_begin();
  EXPECT_NE(machine.device().synchronize(side), device::Status::success);
  EXPECT_THROW(graph.capture_end(), device::DeviceError);
  static_cast<void>(machine.device().last_error());
  EXPECT_NO_THROW(Buffer<std::uint8_t>(runtime, 1_MiB, side));
  graph.capture_begin();
  graph.capture_end();
}

}  // namespace
}  // namespace gpucheck::runtime::test
