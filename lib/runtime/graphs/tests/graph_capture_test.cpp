#include "runtime/graphs/graph_capture.hpp"

#include <gtest/gtest.h>
#include <thread>

#include "base/text/units.hpp"
#include "runtime/graphs/capture_query.hpp"
#include "runtime/graphs/tests/faulty.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/simulated.hpp"

// The scope that captures, and what can be asked about captures.
namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using device::CaptureStatus;

class GraphCaptureTest : public testing::Test {
 protected:
  Simulated machine;
  Runtime& runtime = machine.runtime();
  device::Stream side = machine.side_stream();
};

TEST_F(GraphCaptureTest, CapturesOnASideStreamOfItsOwn) {
  const CurrentStreamGuard current(runtime, side);
  Buffer<std::int64_t> value(runtime, 1, side);
  ops::fill(runtime, value.data(), 1, std::int64_t{5}, side);
  Graph graph(runtime);
  device::Stream captured_on;
  {
    GraphCapture scope(runtime, graph);
    captured_on = runtime.current_stream();
    EXPECT_EQ(captured_on, runtime.capture_stream());
    EXPECT_NE(captured_on, side);
    ops::add(runtime, value.data(), value.data(), 1, std::int64_t{1}, captured_on);
    scope.end();
    EXPECT_EQ(runtime.current_stream(), side);
  }
  {
    Graph second(runtime);
    const GraphCapture scope(runtime, second);
    EXPECT_EQ(runtime.current_stream(), captured_on) << "the same each time";
  }
  graph.replay();
  std::int64_t seen = 0;
  device::check(machine.device().copy(&seen, value.data(), sizeof(seen), device::CopyKind::device_to_host, side),
                "copy");
  device::check(machine.device().synchronize(side), "synchronize");
  EXPECT_EQ(seen, 6);
  EXPECT_TRUE(machine.driver().races().empty());
}

TEST_F(GraphCaptureTest, TakesThePoolTheStreamAndTheMode) {
  const PoolId pool = graph_pool_handle();
  const device::Stream other = machine.side_stream();
  Graph graph(runtime);
  Buffer<std::uint8_t> memory;
  {
    GraphCapture scope(runtime, graph, {.pool = pool, .stream = other, .mode = device::CaptureMode::relaxed});
    EXPECT_EQ(runtime.current_stream(), other);
    memory = Buffer<std::uint8_t>(runtime, 1_MiB, other);
    EXPECT_EQ(machine.device().synchronize(side), device::Status::success) << "a relaxed capture allows it";
    scope.end();
  }
  EXPECT_EQ(graph.pool(), pool);
  EXPECT_EQ(runtime.allocator().pool_use_count(pool), 1);
}

TEST_F(GraphCaptureTest, BeginsWithAnEmptyCacheAndAnIdleDevice) {
  { const Buffer<std::uint8_t> cached(runtime, 1_MiB, side); }
  Buffer<std::uint8_t> memory(runtime, 64_MiB, side);
  ops::fill(runtime, memory.data(), memory.size(), std::uint8_t{1}, side);
  EXPECT_EQ(machine.device().query(side), device::Status::not_ready);
  Graph graph(runtime, {.registers_default_generator = false});  // it takes memory too
  const GraphCapture scope(runtime, graph, {.mode = device::CaptureMode::relaxed});
  EXPECT_EQ(runtime.allocator().stats().segment.all.current, 1);
  EXPECT_EQ(machine.device().query(side), device::Status::success);
}

TEST_F(GraphCaptureTest, TheQueryKnowsTheCurrentStream) {
  EXPECT_FALSE(is_current_stream_capturing(runtime));
  const CurrentStreamGuard current(runtime, side);
  EXPECT_FALSE(is_current_stream_capturing(runtime));
  EXPECT_EQ(current_capture(runtime).id, 0U);
  Graph graph(runtime);
  graph.capture_begin();
  EXPECT_TRUE(is_current_stream_capturing(runtime));
  EXPECT_EQ(current_capture(runtime).status, CaptureStatus::active);
  EXPECT_NE(current_capture(runtime).id, 0U);
  {
    const CurrentStreamGuard other(runtime, machine.side_stream());
    EXPECT_FALSE(is_current_stream_capturing(runtime));
  }
  std::thread([&] { EXPECT_FALSE(is_current_stream_capturing(runtime)) << "that thread's stream"; }).join();
  static_cast<void>(machine.device().synchronize(side));
  EXPECT_TRUE(is_current_stream_capturing(runtime)) << "also when it is broken";
  EXPECT_EQ(current_capture(runtime).status, CaptureStatus::invalidated);
  EXPECT_THROW(graph.capture_end(), device::DeviceError);
  EXPECT_FALSE(is_current_stream_capturing(runtime));
}

TEST_F(GraphCaptureTest, TheQueryCallsNoDeviceOnTheDefaultStream) {
  const auto before = machine.driver().api_calls().total;
  EXPECT_FALSE(is_current_stream_capturing(runtime));
  // Asking which stream is the default one is not a call of the driver's.
  EXPECT_EQ(machine.driver().api_calls().total, before);
}

TEST(CaptureMode, HasPyTorchsNames) {
  EXPECT_EQ(capture_mode("global"), device::CaptureMode::global);
  EXPECT_EQ(capture_mode("thread_local"), device::CaptureMode::thread_local_);
  EXPECT_EQ(capture_mode("relaxed"), device::CaptureMode::relaxed);
  EXPECT_EQ(error_of([] { static_cast<void>(capture_mode("Global")); }),
            "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got Global");
}

}  // namespace
}  // namespace gpucheck::runtime::test
