#include <cstring>
#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/simulated.hpp"
#include "tensor/ops.hpp"

// What the recorded traces do not reach: contents, mixing with plain segments, private
// pools, running out in the middle, giving everything back.
namespace gpucheck::runtime::test {

namespace ops = tensor::ops;
namespace {

using namespace literals;

constexpr const char* expandable_on = "expandable_segments:True";
constexpr const char* off = "expandable_segments:False";

class Expandable : public testing::Test {
 protected:
  Expandable() { allocator().set_settings(expandable_on); }
  CachingAllocator& allocator() { return machine_.allocator(); }
  void* allocate(std::size_t bytes) { return allocator().allocate(bytes, stream()); }
  device::Stream stream() { return machine_.default_stream(); }
  std::uint64_t reserved() { return static_cast<std::uint64_t>(allocator().stats().reserved_bytes.all.current); }

  Simulated machine_;
};

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

TEST_F(Expandable, ASegmentGrowsUnderItsLastBlock) {
  void* first = allocate(20_MiB);
  void* second = allocate(30_MiB);
  EXPECT_EQ(number(second), number(first) + 20_MiB);
  EXPECT_EQ(reserved(), 60_MiB);
  allocator().free(second);
  void* larger = allocate(70_MiB);  // 40 MiB are free at the end: the rest is mapped behind
  EXPECT_EQ(larger, second);
  EXPECT_EQ(reserved(), 100_MiB);
  EXPECT_EQ(allocator().snapshot().size(), 1U);
  EXPECT_TRUE(allocator().snapshot().front().is_expandable);
  allocator().free(first);
  allocator().free(larger);
}

TEST_F(Expandable, ContentsSurviveGrowth) {
  constexpr std::size_t count = 64_MiB / sizeof(std::int32_t);
  auto* low = static_cast<std::int32_t*>(allocate(count * sizeof(std::int32_t)));
  ops::iota(machine_.runtime(), low, count, 3, stream());
  auto* high = static_cast<std::int32_t*>(allocate(count * sizeof(std::int32_t)));
  ops::fill(machine_.runtime(), high, count, -1, stream());
  std::int32_t last = 0;
  device::Device& device = machine_.device();
  ASSERT_EQ(device.copy(&last, low + count - 1, sizeof last, device::CopyKind::device_to_host, stream()),
            device::Status::success);
  ASSERT_EQ(device.synchronize(stream()), device::Status::success);
  EXPECT_EQ(last, static_cast<std::int32_t>(count) + 2);
  allocator().free(low);
  allocator().free(high);
}

TEST_F(Expandable, EmptyCacheUnmapsWholePagesBetweenBlocks) {
  void* first = allocate(20_MiB);
  void* middle = allocate(60_MiB);
  void* last = allocate(20_MiB);
  allocator().free(middle);
  allocator().empty_cache();
  EXPECT_EQ(reserved(), 40_MiB);
  EXPECT_EQ(allocator().snapshot().size(), 2U);
  EXPECT_EQ(allocate(60_MiB), middle);  // the lowest address that has room
  EXPECT_EQ(reserved(), 100_MiB);
  for (void* block : {first, middle, last}) allocator().free(block);
  allocator().empty_cache();
  EXPECT_EQ(reserved(), 0U);
  EXPECT_TRUE(allocator().snapshot().empty());
  EXPECT_EQ(machine_.driver().live_bytes(), 0U);
}

TEST_F(Expandable, PartsOfPagesStay) {
  void* first = allocate(15_MiB);
  void* second = allocate(10_MiB);
  allocator().free(second);
  allocator().empty_cache();
  EXPECT_EQ(reserved(), 20_MiB);  // the first page holds 15 MiB in use, the second none
  allocator().free(first);
}

TEST_F(Expandable, NoStatisticCallsItsFreePartsInactive) {
  void* block = allocate(1_MiB);
  const MemoryStatistics stats = allocator().stats();
  EXPECT_EQ(stats.inactive_split.all.current, 0);
  EXPECT_EQ(stats.inactive_split_bytes.all.current, 0);
  EXPECT_EQ(stats.segment.all.current, 0);
  EXPECT_EQ(stats.num_device_alloc, 1);
  allocator().free(block);
}

TEST_F(Expandable, SwitchedOffItsFreeBlocksAreLeftAlone) {
  void* expandable = allocate(4_MiB);
  allocator().free(expandable);
  allocator().set_settings(off);
  void* plain = allocate(4_MiB);
  EXPECT_NE(plain, expandable);
  EXPECT_EQ(allocator().stats().segment.all.current, 1);
  allocator().set_settings(expandable_on);
  void* again = allocate(18_MiB);  // the plain segment has 16 MiB left
  EXPECT_EQ(again, expandable);
  allocator().free(plain);
  allocator().free(again);
}

TEST_F(Expandable, TheMemoryLimitCountsWhatIsMapped) {
  const auto total = static_cast<double>(machine_.device().properties().total_memory_bytes);
  allocator().set_memory_fraction(static_cast<double>(101_MiB) / total);
  void* most = allocate(80_MiB);
  EXPECT_THROW(static_cast<void>(allocate(30_MiB)), OutOfMemoryError);
  allocator().free(most);
  void* fits = allocate(100_MiB);
  EXPECT_NE(fits, nullptr);
  allocator().free(fits);
}

TEST_F(Expandable, WhatWasMappedBeforeTheDeviceRanOutIsNotLost) {
  // A growing block maps the pages that it still needs, all or none.
  const std::size_t most = machine_.device().memory_info().value().free_bytes / 20_MiB * 20_MiB;
  void* block = allocate(most - 20_MiB);
  EXPECT_THROW(static_cast<void>(allocate(60_MiB)), OutOfMemoryError);
  void* rest = allocate(20_MiB);
  EXPECT_EQ(number(rest), number(block) + most - 20_MiB);
  allocator().free(block);
  allocator().free(rest);
}

TEST_F(Expandable, FreeSmallBlocksMayBeLargerThanAPlainSmallSegment) {
  std::vector<void*> blocks;
  for (int i = 0; i < 12; ++i) blocks.push_back(allocate(1_MiB));
  for (void* block : blocks) allocator().free(block);
  const std::vector<SegmentInfo> segments = allocator().snapshot();
  ASSERT_EQ(segments.size(), 1U);
  ASSERT_EQ(segments.front().blocks.size(), 1U);
  EXPECT_EQ(segments.front().blocks.front().size, 12_MiB);
  EXPECT_EQ(allocate(512), blocks.front());
  allocator().free(blocks.front());
}

TEST_F(Expandable, APrivatePoolHasItsOwnAddresses) {
  void* outside = allocate(20_MiB);
  allocator().begin_allocate_to_pool({0, 7}, on_this_thread());
  void* inside = allocate(20_MiB);
  allocator().end_allocate_to_pool({0, 7});
  EXPECT_NE(number(inside), number(outside) + 20_MiB);
  EXPECT_EQ(allocator().snapshot(PoolId{0, 7}).size(), 1U);
  allocator().free(inside);
  allocator().free(outside);
  allocator().empty_cache();
  EXPECT_EQ(reserved(), 20_MiB);  // the pool is in use: its memory stays
  allocator().release_pool({0, 7});
  allocator().empty_cache();
  EXPECT_EQ(reserved(), 0U);
  EXPECT_EQ(allocator().pool_use_count({0, 7}), 0);
}

// The stream that a graph was captured on has nothing to wait for: its replays run elsewhere.
TEST_F(Expandable, AGraphsMemoryIsNotUnmappedBeforeItsReplaysAreDone) {
  Runtime& runtime = machine_.runtime();
  const device::Stream replayed_on = machine_.side_stream();
  {
    Graph graph(runtime);
    const CurrentStreamGuard capturing(runtime, machine_.side_stream());
    graph.capture_begin();
    Buffer<std::int32_t> inside(runtime, 1_MiB, runtime.current_stream());
    ops::iota(runtime, inside.data(), inside.size(), 0, runtime.current_stream());
    graph.capture_end();
    const CurrentStreamGuard replaying(runtime, replayed_on);
    graph.replay();
  }
  allocator().empty_cache();
  EXPECT_EQ(reserved(), 0U);
  EXPECT_EQ(machine_.device().query(replayed_on), device::Status::success);
  EXPECT_TRUE(machine_.driver().races().empty());
}

TEST_F(Expandable, EachStreamHasItsOwnAddresses) {
  void* first = allocate(20_MiB);
  void* other = allocator().allocate(20_MiB, machine_.side_stream());
  EXPECT_NE(number(other), number(first) + 20_MiB);
  EXPECT_EQ(allocator().snapshot().size(), 2U);
  allocator().free(first);
  allocator().free(other);
}

TEST_F(Expandable, HasNoAllocationOfItsOwnUnderABlock) {
  void* block = allocate(1_MiB);
  EXPECT_THROW(static_cast<void>(allocator().base_allocation(block)), Error);
  allocator().free(block);
}

TEST(ExpandableEnd, GivesBackMemoryWithBlocksInUse) {
  Simulated machine;
  {
    CachingAllocator allocator(machine.device(), parse_settings(expandable_on));
    static_cast<void>(allocator.allocate(30_MiB, machine.default_stream()));
    static_cast<void>(allocator.allocate(100, machine.default_stream()));
    EXPECT_EQ(machine.driver().live_bytes(), 42_MiB);
  }
  EXPECT_EQ(machine.driver().live_bytes(), 0U);
}

TEST(ExpandableEnd, WaitsForWorkThatUsesTheMemory) {
  Simulated machine;
  const device::Stream stream = machine.side_stream();
  {
    CachingAllocator allocator(machine.device(), parse_settings(expandable_on));
    auto* data = static_cast<std::int32_t*>(allocator.allocate(4_MiB, stream));
    ops::iota(machine.runtime(), data, 1_MiB, 0, stream);
  }
  EXPECT_EQ(machine.device().query(stream), device::Status::success);
  EXPECT_TRUE(machine.driver().races().empty());
}

}  // namespace
}  // namespace gpucheck::runtime::test
