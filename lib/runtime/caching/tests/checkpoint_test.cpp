#include <algorithm>
#include <gtest/gtest.h>

#include "base/text/units.hpp"
#include "runtime/allocator/storage.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

using namespace literals;

class Checkpoint : public testing::Test {
 protected:
  CachingAllocator& allocator() { return machine_.allocator(); }
  void* allocate(std::size_t bytes) { return allocator().allocate(bytes, stream_); }
  void* allocate_in_pool(std::size_t bytes) {
    allocator().begin_allocate_to_pool(pool_, on_this_thread());
    void* pointer = allocate(bytes);
    allocator().end_allocate_to_pool(pool_);
    allocator().release_pool(pool_);  // the fixture's use stays
    return pointer;
  }
  void SetUp() override { allocator().retain_pool(pool_); }
  std::vector<SegmentInfo> segments() { return allocator().snapshot(pool_); }

  Simulated machine_;
  device::Stream stream_ = machine_.side_stream();
  PoolId pool_ = graph_pool_handle();
};

/// Everything that a checkpoint promises to bring back. What a block was last asked for
/// is not part of it.
std::vector<SegmentInfo> comparable(std::vector<SegmentInfo> segments) {
  for (SegmentInfo& segment : segments) {
    segment.requested_size = 0;
    segment.was_split = false;
    for (BlockInfo& block : segment.blocks) block.requested_size = 0;
  }
  return segments;
}

// The sequence and every statistic: PyTorch 2.11 on an H100. Before it, 16 bytes are in use
// on the default stream and 8 twice on the capture's (the random numbers' state).
TEST_F(Checkpoint, RestoringAtOnceMovesTheStatisticsAsPyTorchDoes) {
  void* before = allocator().allocate(16, machine_.default_stream());
  allocator().reset_peak_stats();
  allocator().reset_accumulated_stats();
  allocator().empty_cache();
  std::vector<void*> outside{before, allocate(8), allocate(8)};
  std::vector<void*> small;
  for (int i = 0; i < 11; ++i) small.push_back(allocate_in_pool(512));
  void* const large = allocate_in_pool(8_MiB);
  void* const larger = allocate_in_pool(20_MiB);
  for (const std::size_t dead : {10U, 9U, 7U, 6U, 4U, 3U, 2U, 1U, 0U}) allocator().free(small[dead]);  // as a list dies
  const std::vector<SegmentInfo> found = segments();
  ASSERT_EQ(found.size(), 3U);

  const PoolRestoration restored = allocator().restore(allocator().checkpoint(pool_));
  EXPECT_EQ(comparable(segments()), comparable(found));
  EXPECT_EQ(restored.live.size(), 4U);
  EXPECT_EQ(restored.freed.size(), 4U);
  EXPECT_EQ(allocator().block_info(small[5])->state, BlockState::active_allocated);

  const MemoryStatistics stats = allocator().stats();
  const auto expect = [](const Statistic& statistic, Statistic expected) {
    EXPECT_EQ(statistic.current, expected.current);
    EXPECT_EQ(statistic.peak, expected.peak);
    EXPECT_EQ(statistic.allocated, expected.allocated);
    EXPECT_EQ(statistic.freed, expected.freed);
  };
  expect(stats.allocation.all, {7, 16, 23, 17});
  expect(stats.allocation.small_pool, {5, 14, 18, 14});
  expect(stats.allocation.large_pool, {2, 3, 5, 3});
  expect(stats.allocated_bytes.all, {29362688, 41944576, 73406976, 44044800});
  expect(stats.active_bytes.small_pool, {2560, 2098688, 2103808, 2101760});
  expect(stats.inactive_split.all, {6, 6, 11, 6});
  expect(stats.inactive_split.small_pool, {5, 5, 8, 4});
  expect(stats.inactive_split_bytes.all, {18871808, 18871808, 46137856, 29362688});
  expect(stats.inactive_split_bytes.small_pool, {6288896, 6289408, 8389120, 4196864});
  expect(stats.requested_bytes.all, {29361184, 41943072, 73405968, 44044800});
  expect(stats.segment.all, {5, 5, 4, 0});
  EXPECT_EQ(stats.num_device_alloc, 4);
  EXPECT_EQ(stats.num_sync_all_streams, 1);
  for (void* pointer : {small[5], small[8], large, larger}) allocator().free(pointer);
  for (void* pointer : outside) allocator().free(pointer);
}

TEST_F(Checkpoint, BringsDeadBlocksBackAndTakesNewOnesAway) {
  void* first = allocate_in_pool(1_MiB);
  void* second = allocate_in_pool(700_KiB);
  const std::vector<SegmentInfo> found = segments();
  const PoolCheckpoint checkpoint = allocator().checkpoint(pool_);
  allocator().free(first);
  void* const smaller = allocate_in_pool(512);
  void* const elsewhere = allocate_in_pool(30_MiB);
  const PoolRestoration restored = allocator().restore(checkpoint);
  EXPECT_EQ(restored.live, (std::vector<void*>{first, second}));
  EXPECT_EQ(restored.freed.size(), 3U);
  const std::vector<SegmentInfo> after = segments();
  ASSERT_EQ(after.size(), 2U);  // a segment made since stays, free
  const auto made_since = std::ranges::find(after, reinterpret_cast<std::uintptr_t>(elsewhere), &SegmentInfo::address);
  ASSERT_NE(made_since, after.end());
  EXPECT_EQ(made_since->active_size, 0U);
  EXPECT_TRUE(allocator().has_exactly_live(pool_, {first, second}));
  EXPECT_EQ(allocator().block_info(smaller), std::nullopt);
  allocator().free(first);
  allocator().free(second);
}

TEST_F(Checkpoint, ComesBackWithExpandableSegmentsToo) {
  allocator().set_settings("expandable_segments:True");
  void* first = allocate_in_pool(30_MiB);
  void* second = allocate_in_pool(5_MiB);
  const std::vector<SegmentInfo> found = segments();
  const PoolCheckpoint checkpoint = allocator().checkpoint(pool_);
  allocator().free(second);
  void* const grown = allocate_in_pool(50_MiB);
  EXPECT_EQ(grown, second);
  static_cast<void>(allocator().restore(checkpoint));
  const std::vector<SegmentInfo> after = segments();
  ASSERT_EQ(after.size(), 1U);
  EXPECT_EQ(after[0].allocated_size, found[0].allocated_size);
  EXPECT_TRUE(allocator().has_exactly_live(pool_, {first, second}));
  allocator().free(first);
  allocator().free(second);
}

TEST_F(Checkpoint, RejectsWhatItCannotCarryOut) {
  EXPECT_THROW(static_cast<void>(allocator().checkpoint({0, 999'999})), Error);
  EXPECT_THROW(static_cast<void>(allocator().restore({{0, 999'999}, {}})), Error);
  EXPECT_THROW(static_cast<void>(allocator().checkpoint(PoolId{})), Error);
  void* block = allocate_in_pool(1000);
  PoolCheckpoint checkpoint = allocator().checkpoint(pool_);
  PoolCheckpoint gone = checkpoint;
  gone.segments[0].address += 4_MiB;
  EXPECT_THROW(static_cast<void>(allocator().restore(gone)), Error);
  EXPECT_NE(allocator().block_info(block), std::nullopt);  // nothing was freed before it was rejected
  allocator().record_stream(block, machine_.side_stream());
  EXPECT_THROW(static_cast<void>(allocator().restore(checkpoint)), Error);
  allocator().free(block);
  EXPECT_THROW(static_cast<void>(allocator().checkpoint(pool_)), Error);  // its free is pending
  ASSERT_EQ(machine_.device().synchronize(), device::Status::success);
  allocator().release_pool(pool_);
  EXPECT_THROW(static_cast<void>(allocator().checkpoint(pool_)), Error);
  EXPECT_THROW(static_cast<void>(allocator().restore(checkpoint)), Error);
}

class StorageOfAPool : public Checkpoint {
 protected:
  Storage make(std::size_t bytes) {
    allocator().begin_allocate_to_pool(pool_, on_this_thread());
    Storage storage(allocator(), bytes, stream_);
    allocator().end_allocate_to_pool(pool_);
    allocator().release_pool(pool_);
    return storage;
  }
};

TEST_F(StorageOfAPool, AStaleOneFreesNothingLater) {
  const Storage kept = make(512);
  const PoolCheckpoint checkpoint = allocator().checkpoint(pool_);
  {
    Storage stale = make(512);
    Storage* const named[] = {&stale};
    restore_pool(allocator(), checkpoint, named, {});
    EXPECT_FALSE(stale.owns());
  }
  EXPECT_TRUE(allocator().has_exactly_live(pool_, {kept.data()}));
}

TEST_F(StorageOfAPool, ABlockThatWouldGoMustBeNamed) {
  const PoolCheckpoint checkpoint = allocator().checkpoint(pool_);
  const Storage stale = make(512);
  try {
    restore_pool(allocator(), checkpoint, {}, {});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("being manually freed must be passed"), std::string::npos);
  }
  EXPECT_TRUE(allocator().has_exactly_live(pool_, {stale.data()}));
}

TEST_F(StorageOfAPool, ARevivedOneOwnsItsMemoryAgain) {
  void* data = nullptr;
  PoolCheckpoint checkpoint;
  {
    const Storage first = make(512);
    data = first.data();
    checkpoint = allocator().checkpoint(pool_);
  }
  EXPECT_TRUE(allocator().has_exactly_live(pool_, {}));
  {
    Storage rebuilt(data, 512);
    Storage* const named[] = {&rebuilt};
    restore_pool(allocator(), checkpoint, {}, named);
    EXPECT_TRUE(rebuilt.owns());
    EXPECT_TRUE(allocator().has_exactly_live(pool_, {data}));
    EXPECT_THROW(restore_pool(allocator(), checkpoint, {}, named), Error);
  }
  EXPECT_TRUE(allocator().has_exactly_live(pool_, {}));
}

}  // namespace
}  // namespace gpucheck::runtime::test
