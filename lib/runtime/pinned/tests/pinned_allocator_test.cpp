#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

#include "base/text/units.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

using namespace literals;

class Pinned : public testing::Test {
 protected:
  PinnedAllocator& allocator() { return machine_.runtime().pinned_allocator(); }
  PinnedAllocator::Allocation allocate(std::size_t bytes) {
    return allocator().allocate(bytes, machine_.runtime().current_stream());
  }
  void keep_busy(device::Stream stream) {
    ASSERT_EQ(device::launch(machine_.device(), device::kernels::Spin{long_time_ns}, 1, stream),
              device::Status::success);
  }
  void finish(device::Stream stream) { ASSERT_EQ(machine_.device().synchronize(stream), device::Status::success); }
  /// A block that `stream`, still busy, uses, and that was freed meanwhile.
  void* freed_in_use(std::size_t bytes, device::Stream stream) {
    const PinnedAllocator::Allocation block = allocate(bytes);
    keep_busy(stream);
    EXPECT_TRUE(allocator().record_event(block.pointer, block.context, stream));
    allocator().free(block.context);
    return block.pointer;
  }
  std::map<std::string, std::int64_t> statistics() {
    const auto flat = flatten(allocator().stats());
    return {flat.begin(), flat.end()};
  }

  Simulated machine_;
};

TEST_F(Pinned, NothingForNoBytes) {
  EXPECT_EQ(allocate(0).pointer, nullptr);
  EXPECT_EQ(allocate(0).context, nullptr);
  allocator().free(nullptr);
  EXPECT_EQ(allocator().stats().num_host_alloc, 0);
}

TEST_F(Pinned, IsPageLockedForTheDriver) {
  const PinnedBuffer<float> buffer(machine_.runtime(), 20);
  const std::vector<float> pageable(20);
  EXPECT_TRUE(is_pinned(machine_.device(), buffer.data()));
  EXPECT_TRUE(is_pinned(machine_.device(), buffer.data() + 7));
  EXPECT_FALSE(is_pinned(machine_.device(), pageable.data()));
}

// PyTorch 2.11 on an H100: eleven one-byte requests, each freed, then 1000 bytes, then
// freed: recorded before and after the last free, which moves nothing.
TEST_F(Pinned, StatisticsAsRecordedFromPyTorch) {
  for (int i = 0; i < 11; ++i) allocator().free(allocate(1).context);
  const PinnedAllocator::Allocation last = allocate(1000);
  const std::map<std::string, std::int64_t> expected = {{"active_bytes.allocated", 1035},
                                                        {"active_bytes.current", 1035},
                                                        {"active_bytes.freed", 0},
                                                        {"active_bytes.peak", 1035},
                                                        {"active_requests.allocated", 12},
                                                        {"active_requests.current", 12},
                                                        {"active_requests.freed", 0},
                                                        {"active_requests.peak", 12},
                                                        {"allocated_bytes.allocated", 1025},
                                                        {"allocated_bytes.current", 1025},
                                                        {"allocated_bytes.freed", 0},
                                                        {"allocated_bytes.peak", 1025},
                                                        {"allocations.allocated", 2},
                                                        {"allocations.current", 2},
                                                        {"allocations.freed", 0},
                                                        {"allocations.peak", 2},
                                                        {"num_host_alloc", 2},
                                                        {"num_host_free", 0}};
  const auto check = [&] {
    const auto seen = statistics();
    for (const auto& [name, value] : expected) EXPECT_EQ(seen.at(name), value) << name;
    EXPECT_EQ(seen.size(), expected.size() + 10);  // and two durations of five values each
    EXPECT_EQ(seen.at("host_alloc_time.count"), 2);
    EXPECT_EQ(seen.at("host_free_time.count"), 0);
  };
  check();
  allocator().free(last.context);
  check();
}

// As recorded: see lib/replay/recorded/pytorch_pinned.json.
TEST_F(Pinned, ABlockReturnedByEventsLowersTheRequestsAndRaisesTheBytesByOne) {
  freed_in_use(1000, machine_.default_stream());
  EXPECT_EQ(statistics().at("active_bytes.current"), 1024);
  finish(machine_.default_stream());
  allocator().empty_cache();
  EXPECT_EQ(statistics().at("active_bytes.current"), 1025);
  EXPECT_EQ(statistics().at("active_bytes.freed"), -1);
  EXPECT_EQ(statistics().at("active_requests.freed"), 1);
  EXPECT_EQ(statistics().at("active_bytes.peak"), 1024);
}

TEST_F(Pinned, RoundsToPowersOfTwoAndReusesWithinOneOnly) {
  const auto first = allocate(513);
  allocator().free(first.context);
  EXPECT_EQ(allocate(1024).pointer, first.pointer);
  EXPECT_NE(allocate(512).pointer, first.pointer);
  EXPECT_EQ(allocator().stats().allocated_bytes.current, 1024 + 512);
  allocator().free(allocate(1).context);
  EXPECT_EQ(allocator().stats().allocated_bytes.current, 1024 + 512 + 1);
}

TEST_F(Pinned, TheBlockFreedLastIsUsedFirst) {
  const auto first = allocate(64);
  const auto second = allocate(64);
  allocator().free(first.context);
  allocator().free(second.context);
  EXPECT_EQ(allocate(64).pointer, second.pointer);
  EXPECT_EQ(allocate(64).pointer, first.pointer);
}

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

TEST_F(Pinned, KnowsABlockByContextAndByStartAlone) {
  const auto block = allocate(4096);
  void* inside = static_cast<char*>(block.pointer) + 1;
  const device::Stream stream = machine_.side_stream();
  EXPECT_FALSE(allocator().record_event(inside, nullptr, stream));
  EXPECT_TRUE(allocator().record_event(inside, block.context, stream));
  EXPECT_TRUE(allocator().record_event(block.pointer, inside, stream));
  allocator().free(block.context);
  EXPECT_FALSE(allocator().record_event(block.pointer, block.context, stream));
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

TEST_F(Pinned, EmptyCacheReleasesWhatIsFreeOnly) {
  const auto kept = allocate(64);
  allocator().free(allocate(1_MiB).context);
  freed_in_use(4096, machine_.side_stream());
  allocator().empty_cache();
  EXPECT_EQ(allocator().stats().allocated_bytes.current, 64 + 4096);
  EXPECT_EQ(allocator().stats().num_host_free, 1);
  EXPECT_EQ(allocator().stats().host_free_time.count, 1);
  EXPECT_EQ(allocator().live_allocations().count, 1);
  EXPECT_TRUE(is_pinned(machine_.device(), kept.pointer));
}

TEST_F(Pinned, RejectsWhatItDidNotAllocate) {
  int on_stack = 0;
  EXPECT_THROW(allocator().free(&on_stack), Error);
  const auto block = allocate(64);
  allocator().free(block.context);
  EXPECT_THROW(allocator().free(block.context), Error);
}

TEST_F(Pinned, TooMuchIsADeviceErrorAndLeavesItUsable) {
  EXPECT_THROW(static_cast<void>(allocate(std::size_t{1} << 60)), device::DeviceError);
  EXPECT_THROW(static_cast<void>(allocate(~std::size_t{0})), device::DeviceError);
  EXPECT_NE(allocate(64).pointer, nullptr);
  EXPECT_EQ(allocator().stats().allocations.allocated, 1);
}

TEST_F(Pinned, RegisteredMemoryIsPageLockedAndReleasedTheSameWay) {
  machine_.runtime().set_settings("pinned_use_cuda_host_register:True,pinned_num_register_threads:8");
  const auto small = allocate(100);
  const auto large = allocate(8_MiB);
  machine_.runtime().set_settings("pinned_use_cuda_host_register:False");
  EXPECT_TRUE(is_pinned(machine_.device(), small.pointer));
  EXPECT_TRUE(is_pinned(machine_.device(), static_cast<char*>(large.pointer) + 8_MiB - 1));
  allocator().free(small.context);
  allocator().free(large.context);
  EXPECT_NO_THROW(allocator().empty_cache());
  EXPECT_EQ(allocator().stats().num_host_free, 2);
  EXPECT_FALSE(is_pinned(machine_.device(), small.pointer));
}

TEST_F(Pinned, TheReservedSegmentServesUntilItIsFull) {
  machine_.runtime().set_settings("pinned_reserve_segment_size_mb:1");
  const auto first = allocate(512_KiB);
  const auto second = allocate(512_KiB);
  EXPECT_EQ(static_cast<char*>(second.pointer), static_cast<char*>(first.pointer) + 512_KiB);
  const auto beyond = allocate(512_KiB);
  const auto is_in_segment = [&](const PinnedAllocator::Allocation& block) {
    const auto distance = static_cast<char*>(block.pointer) - static_cast<char*>(first.pointer);
    return distance >= 0 && distance < static_cast<std::ptrdiff_t>(1_MiB);
  };
  EXPECT_FALSE(is_in_segment(beyond));
  for (const auto& block : {first, second, beyond}) allocator().free(block.context);
  EXPECT_EQ(allocate(512_KiB).pointer, beyond.pointer);
  allocator().empty_cache();
  EXPECT_EQ(allocator().stats().allocations.current, 1) << "the segment's blocks are released too";
  EXPECT_FALSE(is_in_segment(allocate(512_KiB))) << "though its memory is not served again";
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

TEST_F(Pinned, ResetsOfTheStatistics) {
  allocator().free(allocate(64).context);
  allocator().empty_cache();
  allocator().reset_peak_stats();
  allocator().reset_accumulated_stats();
  const auto seen = statistics();
  EXPECT_EQ(seen.at("allocations.peak"), 0);
  EXPECT_EQ(seen.at("allocations.allocated"), 0);
  EXPECT_EQ(seen.at("num_host_alloc"), 0);
  EXPECT_EQ(seen.at("num_host_free"), 0);
  EXPECT_EQ(seen.at("host_alloc_time.count"), 0);
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
