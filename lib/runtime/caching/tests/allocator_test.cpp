#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

/// The statistics of the worked examples.
struct Statistics {
  std::int64_t allocation = 0, allocated_bytes = 0, requested_bytes = 0, segment = 0, reserved_bytes = 0,
               inactive_split = 0, inactive_split_bytes = 0, num_device_alloc = 0;
  bool operator==(const Statistics&) const = default;
};

Statistics statistics(Simulated& machine) {
  const MemoryStatistics stats = machine.allocator().stats();
  EXPECT_EQ(stats.active.all, stats.allocation.all);
  EXPECT_EQ(stats.active_bytes.all, stats.allocated_bytes.all);
  return {stats.allocation.all.current,           stats.allocated_bytes.all.current,
          stats.requested_bytes.all.current,      stats.segment.all.current,
          stats.reserved_bytes.all.current,       stats.inactive_split.all.current,
          stats.inactive_split_bytes.all.current, stats.num_device_alloc};
}

/// The statistics of an allocator that has done nothing.
MemoryStatistics untouched() {
  MemoryStatistics statistics;
  statistics.max_split_size = -1;
  return statistics;
}

class Allocator : public testing::Test {
 protected:
  void* allocate(std::size_t bytes) { return allocator.allocate(bytes, stream); }

  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  device::Stream stream = machine.default_stream();
};

// The sequences and their statistics: PyTorch 2.11 on an H100, recorded.
TEST_F(Allocator, SplitsAndMergesASmallSegment) {
  void* x = allocate(1000);
  EXPECT_EQ(statistics(machine), (Statistics{1, 1024, 1000, 1, 2097152, 1, 2096128, 1}));
  void* y = allocate(512);
  EXPECT_EQ(statistics(machine), (Statistics{2, 1536, 1512, 1, 2097152, 1, 2095616, 1}));
  allocator.free(x);
  EXPECT_EQ(statistics(machine), (Statistics{1, 512, 512, 1, 2097152, 2, 2096640, 1}));
  allocator.free(y);
  EXPECT_EQ(statistics(machine), (Statistics{0, 0, 0, 1, 2097152, 0, 0, 1}));
  allocator.empty_cache();
  EXPECT_EQ(statistics(machine), (Statistics{0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(allocator.stats().num_sync_all_streams, 1);
  EXPECT_EQ(allocator.stats().num_device_free, 1);
}

TEST_F(Allocator, TwoBlocksOfOneMebibyteShareASegment) {
  static_cast<void>(allocate(1_MiB));
  EXPECT_EQ(statistics(machine), (Statistics{1, 1048576, 1048576, 1, 2097152, 1, 1048576, 1}));
  static_cast<void>(allocate(1_MiB));
  EXPECT_EQ(statistics(machine), (Statistics{2, 2097152, 2097152, 1, 2097152, 0, 0, 1}));
  static_cast<void>(allocate(1_MiB));
  EXPECT_EQ(statistics(machine), (Statistics{3, 3145728, 3145728, 2, 4194304, 1, 1048576, 2}));
}

TEST_F(Allocator, LargeBlocks) {
  void* x = allocate(1_MiB + 512);
  EXPECT_EQ(statistics(machine), (Statistics{1, 1049088, 1049088, 1, 20971520, 1, 19922432, 1}));
  allocator.free(x);
  allocator.empty_cache();
  void* y = allocate(10_MiB + 512);
  EXPECT_EQ(statistics(machine), (Statistics{1, 10486272, 10486272, 1, 12582912, 1, 2096640, 2}));
  allocator.free(y);
  void* z = allocate(10_MiB - 512);
  EXPECT_EQ(statistics(machine), (Statistics{1, 10485248, 10485248, 1, 12582912, 1, 2097664, 2}));
  allocator.free(z);
  allocator.empty_cache();
  static_cast<void>(allocate(11_MiB));
  EXPECT_EQ(statistics(machine), (Statistics{1, 12582912, 11534336, 1, 12582912, 0, 0, 3}));
}

TEST_F(Allocator, NothingForNoBytesAndNothingForNull) {
  EXPECT_EQ(allocate(0), nullptr);
  EXPECT_NO_THROW(allocator.free(nullptr));
  EXPECT_NO_THROW(allocator.record_stream(nullptr, stream));
  EXPECT_EQ(allocator.stats(), untouched());
}

TEST_F(Allocator, RejectsPointersItDidNotGive) {
  auto* pointer = static_cast<char*>(allocate(4096));
  EXPECT_THROW(allocator.free(pointer + 512), Error);
  EXPECT_THROW(allocator.free(this), Error);
  allocator.free(pointer);
  EXPECT_THROW(allocator.free(pointer), Error);
  EXPECT_NO_THROW(allocator.record_stream(this, machine.side_stream()));
}

TEST_F(Allocator, ReusesABlockOnItsOwnStreamOnly) {
  const device::Stream side = machine.side_stream();
  void* pointer = allocate(4096);
  allocator.free(pointer);
  EXPECT_NE(allocator.allocate(4096, side), pointer);
  EXPECT_EQ(allocate(4096), pointer);
}

TEST_F(Allocator, TellsOfItsBlocks) {
  void* first = allocate(700);
  void* second = allocate(3_MiB);
  EXPECT_EQ(allocator.block_info(first),
            (BlockInfo{reinterpret_cast<std::uintptr_t>(first), 1024, 700, BlockState::active_allocated}));
  EXPECT_EQ(allocator.block_info(this), std::nullopt);
  EXPECT_EQ(allocator.base_allocation(first).pointer, first);
  EXPECT_EQ(allocator.base_allocation(first).bytes, 2_MiB);
  EXPECT_THROW(static_cast<void>(allocator.base_allocation(this)), Error);
  const std::vector<SegmentInfo> segments = allocator.snapshot();
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_LT(segments[0].address, segments[1].address);
  const SegmentInfo& large = segments[segments[0].is_large ? 0 : 1];
  EXPECT_EQ(large.address, reinterpret_cast<std::uintptr_t>(second));
  EXPECT_EQ(large.total_size, 20_MiB);
  EXPECT_EQ(large.allocated_size, 3_MiB);
  EXPECT_EQ(large.requested_size, 3_MiB);
  EXPECT_EQ(large.blocks.size(), 2U);
}

TEST_F(Allocator, UsageIsWhatTheStatisticsSay) {
  const auto expect = [&](std::int64_t allocated, std::int64_t reserved) {
    EXPECT_EQ(allocator.usage().allocated, allocated);
    EXPECT_EQ(allocator.usage().reserved, reserved);
    EXPECT_EQ(allocator.stats().allocated_bytes.all.current, allocated);
    EXPECT_EQ(allocator.stats().reserved_bytes.all.current, reserved);
  };
  expect(0, 0);
  void* small = allocate(1'000);
  void* large = allocate(30_MiB);
  expect(1'024 + 30_MiB, 2_MiB + 30_MiB);
  allocator.free(small);
  expect(30_MiB, 2_MiB + 30_MiB);
  allocator.free(large);
  expect(0, 2_MiB + 30_MiB);
}

TEST_F(Allocator, ResetsPeaksAndTotals) {
  void* x = allocate(1000);
  allocator.free(allocate(512));
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{1, 2, 2, 1}));
  allocator.reset_peak_stats();
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{1, 1, 2, 1}));
  allocator.reset_accumulated_stats();
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{1, 1, 0, 0}));
  EXPECT_EQ(allocator.stats().num_device_alloc, 0);
  allocator.free(x);
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{0, 1, 0, 1}));
}

TEST_F(Allocator, PeaksAreThoseOfTheSumOverAllStreams) {
  const device::Stream side = machine.side_stream();
  void* x = allocate(512);
  void* y = allocator.allocate(512, side);
  allocator.free(x);
  void* z = allocator.allocate(512, side);  // two again, not three
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{2, 2, 3, 1}));
  void* w = allocate(512);
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{3, 3, 4, 1}));
  for (void* pointer : {y, z, w}) allocator.free(pointer);
  EXPECT_EQ(allocator.stats().allocation.all, (Statistic{0, 3, 4, 4}));
}

TEST_F(Allocator, StatisticsHavePyTorchsNames) {
  const auto flat = flatten(allocator.stats());
  EXPECT_EQ(flat.size(), 122U);
  EXPECT_TRUE(std::ranges::is_sorted(flat));
  EXPECT_EQ(flat.front().first, "active.all.allocated");
  EXPECT_EQ(flat.back().first, "segment.small_pool.peak");
}

TEST_F(Allocator, WithoutCachingEveryCallReachesTheDevice) {
  allocator.set_caching(false);
  void* pointer = allocate(4096);
  EXPECT_EQ(machine.driver().live_bytes(), 4096U);
  allocator.free(pointer);
  EXPECT_EQ(machine.driver().live_bytes(), 0U);
  EXPECT_EQ(allocator.stats(), untouched());
}

TEST_F(Allocator, GivesEverythingBackWhenItEnds) {
  static_cast<void>(allocate(4096));
  static_cast<void>(allocate(30_MiB));
  machine.end_runtime();
  EXPECT_EQ(machine.driver().live_bytes(), 0U);
}

TEST_F(Allocator, KeepsItsBackend) {
  EXPECT_THROW(allocator.set_settings("backend:cudaMallocAsync"), SettingsError);
  EXPECT_EQ(allocator.settings().backend, Backend::native);
}

TEST_F(Allocator, NeedsFewBytesForEachBlock) {
  std::vector<void*> blocks;
  for (int i = 0; i < 20'000; ++i) blocks.push_back(allocate(512 + 4096 * static_cast<std::size_t>(i % 50)));
  EXPECT_LE(allocator.bookkeeping_bytes() / blocks.size(), 128U);
}

}  // namespace
}  // namespace gpucheck::runtime::test
