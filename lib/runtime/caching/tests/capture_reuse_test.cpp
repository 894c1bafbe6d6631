#include <gtest/gtest.h>
#include <map>
#include <string>

#include "base/text/units.hpp"
#include "device/check.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "device/owned.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"

// graph_capture_record_stream_reuse: blocks that several streams used are free
// again within the capture, as soon as the graph orders those uses before what
// comes.
namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using namespace literals;

constexpr std::size_t block_bytes = 64_KiB;

class CaptureReuse : public testing::Test {
 protected:
  CaptureReuse() { allocator.set_settings("graph_capture_record_stream_reuse:True"); }

  /// What `to` is given from now on comes after what `from` was given.
  void lead(device::Stream from, device::Stream to) {
    const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
    device::check(device.record(event.get(), from), "record");
    device::check(device.wait(to, event.get()), "wait");
  }
  std::uint8_t* allocate(device::Stream stream) {
    return static_cast<std::uint8_t*>(allocator.allocate(block_bytes, stream));
  }
  void fill(std::uint8_t* block, std::uint8_t value, device::Stream stream) {
    ops::fill(runtime, block, block_bytes, value, stream);
  }
  /// A block of `own`, written there and then on `other`, and freed.
  std::uint8_t* used_on(device::Stream own, device::Stream other) {
    std::uint8_t* block = allocate(own);
    fill(block, 1, own);
    lead(own, other);
    fill(block, 2, other);
    allocator.record_stream(block, other);
    allocator.free(block);
    return block;
  }
  std::int64_t active() { return allocator.stats().active.all.current; }
  /// The next block of the stream, used there.
  std::uint8_t* next(device::Stream stream) {
    std::uint8_t* block = allocate(stream);
    fill(block, 3, stream);
    return block;
  }
  /// What the graph does is ordered.
  void expect_no_race() {
    for (int i = 0; i < 3; ++i) graph.replay();
    device::check(device.synchronize(), "synchronize");
    for (const sim::Race& race : machine.driver().races()) ADD_FAILURE() << race.description;
  }

  Simulated machine;
  device::Device& device = machine.device();
  Runtime& runtime = machine.runtime();
  CachingAllocator& allocator = machine.allocator();
  device::Stream origin = machine.side_stream();
  device::Stream branch = machine.side_stream();
  CurrentStreamGuard current{runtime, origin};
  Graph graph{runtime, {.registers_default_generator = false}};
};

TEST_F(CaptureReuse, BeginsWithTheJoin) {
  graph.capture_begin();
  std::uint8_t* block = used_on(origin, branch);
  EXPECT_NE(next(origin), block);
  EXPECT_EQ(active(), 2);
  lead(branch, origin);
  EXPECT_EQ(next(origin), block);
  EXPECT_EQ(active(), 2);
  graph.capture_end();
  expect_no_race();
}

TEST_F(CaptureReuse, WaitsForTheEndWithoutTheSetting) {
  allocator.set_settings("graph_capture_record_stream_reuse:False");
  graph.capture_begin();
  std::uint8_t* block = used_on(origin, branch);
  lead(branch, origin);
  EXPECT_NE(next(origin), block);
  EXPECT_EQ(active(), 2);
  graph.capture_end();
  static_cast<void>(allocator.allocate(block_bytes, origin));  // looks after what was deferred
  EXPECT_EQ(active(), 2);
  const PoolId pool = graph.pool();
  allocator.begin_allocate_to_pool(pool, on_stream(origin));
  EXPECT_EQ(allocate(origin), block);
  allocator.end_allocate_to_pool(pool);
}

TEST_F(CaptureReuse, FindsTheJoinBehindOtherNodesAndStreams) {
  const device::Stream third = machine.side_stream();
  graph.capture_begin();
  std::uint8_t* block = used_on(origin, branch);
  std::uint8_t* other = next(origin);
  lead(branch, third);
  fill(other, 4, origin);
  EXPECT_NE(next(origin), block);  // the third stream is not joined yet
  std::uint8_t* beside = next(third);
  lead(third, origin);
  fill(other, 5, origin);
  fill(beside, 6, origin);
  EXPECT_EQ(next(origin), block);
  graph.capture_end();
  expect_no_race();
}

TEST_F(CaptureReuse, WaitsForEveryStreamThatUsedTheBlock) {
  const device::Stream third = machine.side_stream();
  graph.capture_begin();
  std::uint8_t* block = allocate(origin);
  fill(block, 1, origin);
  for (const device::Stream stream : {branch, third}) {
    lead(origin, stream);
    ops::add(runtime, block, next(stream), block_bytes, std::uint8_t{1}, stream);
    allocator.record_stream(block, stream);
  }
  allocator.free(block);
  lead(branch, origin);
  EXPECT_NE(next(origin), block);
  lead(third, origin);
  EXPECT_EQ(next(origin), block);
  graph.capture_end();
  expect_no_race();
}

TEST_F(CaptureReuse, DoesNotWaitForAStreamThatDidNothing) {
  graph.capture_begin();
  lead(origin, branch);
  std::uint8_t* block = allocate(origin);
  fill(block, 1, origin);
  allocator.record_stream(block, branch);
  allocator.free(block);
  EXPECT_EQ(next(origin), block);
  graph.capture_end();
  expect_no_race();
}

/// The block goes back to its own stream, which must be ordered after the uses
/// itself.
TEST_F(CaptureReuse, IsForTheBlocksOwnStream) {
  graph.capture_begin();
  lead(origin, branch);
  std::uint8_t* block = used_on(branch, origin);
  EXPECT_NE(next(origin), block);
  EXPECT_NE(next(branch), block);
  EXPECT_EQ(active(), 3);
  lead(origin, branch);
  EXPECT_EQ(next(branch), block);
  lead(branch, origin);
  graph.capture_end();
  expect_no_race();
}

TEST_F(CaptureReuse, SparesBlocksThatAStreamOutsideTheCaptureUsed) {
  const device::Stream outside = machine.side_stream();
  graph.capture_begin(graph_pool_handle(), device::CaptureMode::relaxed);
  std::uint8_t* block = allocate(origin);
  fill(block, 1, origin);
  allocator.record_stream(block, outside);
  allocator.free(block);
  fill(allocate(origin), 2, origin);
  EXPECT_NE(next(origin), block);
  graph.capture_end();
}

/// No node of the graph stands for that use: the block waits for its event.
TEST_F(CaptureReuse, SparesBlocksUsedOnAnotherStreamBeforeTheCapture) {
  std::uint8_t* block = allocate(origin);
  lead(origin, branch);
  device::check(device::launch(device, device::kernels::Spin{50'000'000}, 1, branch), "spin");
  fill(block, 1, branch);
  allocator.record_stream(block, branch);
  graph.capture_begin();
  std::uint8_t* beside = next(origin);
  lead(origin, branch);
  fill(beside, 2, branch);
  allocator.free(block);
  lead(branch, origin);
  static_cast<void>(next(origin));
  graph.capture_end();
  EXPECT_NE(next(origin), block);
  device::check(device.synchronize(), "synchronize");
  EXPECT_EQ(next(origin), block);
  expect_no_race();
}

/// Its nodes are gone; those of another capture may have the same handles.
TEST_F(CaptureReuse, EndsWithTheCapture) {
  graph.capture_begin();
  std::uint8_t* block = used_on(origin, branch);
  lead(branch, origin);
  graph.capture_end();
  Graph second(runtime, {.registers_default_generator = false});
  second.capture_begin(graph.pool());
  EXPECT_NE(next(origin), block);
  second.capture_end();
  static_cast<void>(allocate(origin));  // looks after what was deferred
  second.reset();
  second.capture_begin(graph.pool());
  EXPECT_EQ(next(origin), block);
  second.capture_end();
  expect_no_race();
}

TEST_F(CaptureReuse, SurvivesACaptureThatIsSpoilt) {
  graph.capture_begin();
  std::uint8_t* block = used_on(origin, branch);
  lead(branch, origin);
  EXPECT_NE(device.synchronize(origin), device::Status::success);
  static_cast<void>(device.last_error());
  EXPECT_NE(allocate(origin), block);
  EXPECT_THROW(graph.capture_end(), device::DeviceError);
  static_cast<void>(device.last_error());
  EXPECT_NO_THROW(static_cast<void>(allocate(origin)));
}

/// Events are not the way to know: asking one would spoil the capture.
TEST_F(CaptureReuse, UsesNoEvents) {
  const auto calls = [&] {
    const auto counted = machine.driver().api_calls().by_name;
    return std::map<std::string, std::uint64_t>(counted.begin(), counted.end());
  };
  graph.capture_begin();
  std::uint8_t* block = allocate(origin);
  fill(block, 1, origin);
  lead(origin, branch);
  fill(block, 2, branch);
  lead(branch, origin);
  const auto before = calls();
  allocator.record_stream(block, branch);
  allocator.free(block);
  EXPECT_EQ(allocate(origin), block);
  auto after = calls();
  graph.capture_end();
  for (const auto& [name, count] : before) {
    if (after[name] == count) after.erase(name);
  }
  const auto asked = [&](std::string_view name) { return after.erase(std::string(name)) == 1; };
  EXPECT_TRUE(asked("capture_info"));
  EXPECT_TRUE(asked("capture_dependencies"));
  EXPECT_TRUE(asked("node_dependencies"));
  EXPECT_EQ(after, (std::map<std::string, std::uint64_t>{}));
}

}  // namespace
}  // namespace gpucheck::runtime::test
