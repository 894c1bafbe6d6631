#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/graphs/graph.hpp"
#include "runtime/pinned/tests/pinned_fixture.hpp"

// What a freed block waits for before it is given out again: streams, captures, other threads.
namespace gpucheck::runtime::test {
namespace {

TEST_F(Pinned, WaitsForEveryStreamThatUsedABlock) {
  const device::Stream quick = machine_.side_stream();
  const device::Stream slow = machine_.side_stream();
  const auto block = allocate(4096);
  keep_busy(slow);
  for (const device::Stream stream : {quick, slow, slow}) allocator().record_event(block.pointer, nullptr, stream);
  allocator().free(block.context);
  finish(quick);
  EXPECT_NE(allocate(4096).pointer, block.pointer);
  finish(slow);
  EXPECT_EQ(allocate(4096).pointer, block.pointer);
}

TEST_F(Pinned, OneUnfinishedBlockHoldsUpAllYoungerOnes) {
  const device::Stream slow = machine_.side_stream();
  const device::Stream quick = machine_.side_stream();
  freed_in_use(64, slow);
  const auto other = allocate(4096);
  allocator().record_event(other.pointer, other.context, quick);
  allocator().free(other.context);
  finish(quick);
  EXPECT_NE(allocate(4096).pointer, other.pointer);
  finish(slow);
  EXPECT_EQ(allocate(4096).pointer, other.pointer);
}

TEST_F(Pinned, WithABackgroundThreadTheWantedSizeIsFoundBehindAnUnfinishedOne) {
  machine_.runtime().set_settings("pinned_use_background_threads:True");
  const device::Stream slow = machine_.side_stream();
  const device::Stream quick = machine_.side_stream();
  freed_in_use(64, slow);
  const auto other = allocate(4096);
  allocator().record_event(other.pointer, other.context, quick);
  allocator().free(other.context);
  finish(quick);
  EXPECT_EQ(allocate(4096).pointer, other.pointer);
  machine_.end_runtime();  // the thread ends before the device does
}

TEST_F(Pinned, ACaptureHasAPoolOfItsOwn) {
  Runtime& runtime = machine_.runtime();
  allocator().free(allocate(4096).context);
  const device::Stream side = machine_.side_stream();
  const CurrentStreamGuard on_side(runtime, side);
  Graph graph(runtime);
  graph.capture_begin();
  const auto captured = allocate(4096);
  EXPECT_EQ(allocator().stats().num_host_alloc, 2);  // the free block outside does not serve
  allocator().record_event(captured.pointer, captured.context, side);
  keep_busy(side);
  allocator().free(captured.context);
  EXPECT_NE(allocate(4096).pointer, captured.pointer);  // a replay will use it again
  graph.capture_end();
  EXPECT_NE(allocate(4096).pointer, captured.pointer);
  finish(side);
  allocator().empty_cache();
  EXPECT_EQ(allocator().stats().num_host_free, 0);
  {
    Graph sharing(runtime);
    sharing.capture_begin(graph.pool());
    EXPECT_NE(allocate(4096).pointer, captured.pointer);
    sharing.capture_end();
  }
  graph.reset();
  allocator().empty_cache();
  EXPECT_EQ(allocator().stats().num_host_free, 1);
}

TEST_F(Pinned, FreedDuringACaptureOfItsStreamItWaitsForTheCapturesEnd) {
  Runtime& runtime = machine_.runtime();
  const device::Stream side = machine_.side_stream();
  const auto block = allocate(4096);
  allocator().record_event(block.pointer, block.context, side);
  {
    const CurrentStreamGuard on_side(runtime, side);
    Graph graph(runtime);
    graph.capture_begin();
    keep_busy(side);
    allocator().free(block.context);
    graph.capture_end();
  }
  keep_busy(side);
  EXPECT_NE(allocate(4096).pointer, block.pointer);  // the event is recorded now
  finish(side);
  EXPECT_EQ(allocate(4096).pointer, block.pointer);
}

TEST(PinnedThreads, NoBlockIsInTwoHands) {
  Simulated machine;
  PinnedAllocator& allocator = machine.runtime().pinned_allocator();
  std::mutex mutex;
  std::set<void*> held;
  std::atomic<int> shared = 0;
  const auto work = [&](std::size_t number) {
    const device::Stream stream = machine.side_stream();
    for (std::size_t i = 0; i < 500; ++i) {
      const auto block = allocator.allocate(std::size_t{1} << ((i * 7 + number) % 12), stream);
      {
        const std::scoped_lock lock(mutex);
        if (!held.insert(block.pointer).second) ++shared;
      }
      if (i % 3 == 0) allocator.record_event(block.pointer, block.context, stream);
      {
        const std::scoped_lock lock(mutex);
        held.erase(block.pointer);
      }
      allocator.free(block.context);
      if (i % 100 == 0) allocator.empty_cache();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t number = 0; number < 4; ++number) threads.emplace_back(work, number);
  }
  EXPECT_EQ(shared, 0);
  EXPECT_EQ(allocator.live_allocations().count, 0);
  ASSERT_EQ(machine.device().synchronize(), device::Status::success);
  allocator.empty_cache();
  EXPECT_EQ(allocator.stats().allocations.current, 0);
}

}  // namespace
}  // namespace gpucheck::runtime::test
