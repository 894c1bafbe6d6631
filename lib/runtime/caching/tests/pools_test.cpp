#include <gtest/gtest.h>
#include <thread>

#include "base/text/units.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

class PrivatePool : public testing::Test {
 protected:
  std::int64_t segments() { return allocator.stats().segment.all.current; }

  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  device::Stream stream = machine.default_stream();
  PoolId pool = graph_pool_handle();
};

TEST_F(PrivatePool, HandlesCountUp) {
  const PoolId next = graph_pool_handle();
  EXPECT_EQ(next.first, 0U);
  EXPECT_EQ(next.second, pool.second + 1);
  EXPECT_EQ(next_capture_pool_id().second, 0U);
}

TEST_F(PrivatePool, HasItsOwnSegmentsUntilReleased) {
  void* outside = allocator.allocate(1_MiB, stream);
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  void* inside = allocator.allocate(1_MiB, stream);
  allocator.end_allocate_to_pool(pool);
  EXPECT_EQ(segments(), 2);
  EXPECT_EQ(allocator.pool_use_count(pool), 1);
  EXPECT_EQ(allocator.snapshot(pool).size(), 1U);
  EXPECT_TRUE(allocator.has_exactly_live(pool, {inside}));
  EXPECT_FALSE(allocator.has_exactly_live(pool, {outside}));
  EXPECT_FALSE(allocator.has_exactly_live(pool, {inside, nullptr}));
  allocator.free(inside);
  allocator.empty_cache();
  EXPECT_EQ(segments(), 2);  // the pool keeps what it has
  allocator.release_pool(pool);
  EXPECT_EQ(allocator.pool_use_count(pool), 0);
  EXPECT_EQ(segments(), 2);
  allocator.empty_cache();
  EXPECT_EQ(segments(), 1);
  EXPECT_THROW(static_cast<void>(allocator.has_exactly_live(pool, {})), Error);
  allocator.free(outside);
}

TEST_F(PrivatePool, LiveBlocksOutliveTheRelease) {
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  void* inside = allocator.allocate(1_MiB, stream);
  allocator.end_allocate_to_pool(pool);
  allocator.release_pool(pool);
  allocator.empty_cache();
  EXPECT_EQ(segments(), 1);
  allocator.free(inside);
  allocator.empty_cache(pool);
  EXPECT_EQ(segments(), 0);
}

TEST_F(PrivatePool, RoutesByThreadAndByStream) {
  const device::Stream side = machine.side_stream();
  const PoolId by_stream = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  std::thread([&] { static_cast<void>(allocator.allocate(512, stream)); }).join();
  EXPECT_TRUE(allocator.snapshot(pool).empty());
  allocator.begin_allocate_to_pool(by_stream, on_stream(side));
  static_cast<void>(allocator.allocate(512, side));  // the routing begun last is asked first
  EXPECT_TRUE(allocator.snapshot(pool).empty());
  static_cast<void>(allocator.allocate(512, stream));
  EXPECT_EQ(allocator.snapshot(pool).size(), 1U);
  EXPECT_EQ(allocator.snapshot(by_stream).size(), 1U);
}

TEST_F(PrivatePool, RejectsWhatMakesNoSense) {
  EXPECT_THROW(allocator.end_allocate_to_pool(pool), Error);
  EXPECT_THROW(allocator.release_pool(pool), Error);
  EXPECT_THROW(allocator.begin_allocate_to_pool({}, on_this_thread()), Error);
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  EXPECT_THROW(allocator.begin_allocate_to_pool(pool, on_this_thread()), Error);
  allocator.end_allocate_to_pool(pool);
  static_cast<void>(allocator.allocate(512, stream));
  allocator.release_pool(pool);
  allocator.release_pool(pool);  // the rejected begin had used it once more, as in PyTorch
  EXPECT_THROW(allocator.release_pool(pool), Error);
  EXPECT_THROW(allocator.begin_allocate_to_pool(pool, on_this_thread()), Error);
}

TEST_F(PrivatePool, StaysForARequestWhoseCallbacksGiveItUp) {
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  allocator.add_free_memory_callback([&] {
    if (allocator.pool_use_count(pool) == 0) return false;
    allocator.end_allocate_to_pool(pool);
    allocator.release_pool(pool);
    allocator.empty_cache();
    return false;
  });
  void* inside = allocator.allocate(512, stream);
  EXPECT_TRUE(allocator.has_exactly_live(pool, {inside}));
  allocator.free(inside);
  allocator.empty_cache();
  EXPECT_EQ(segments(), 0);
}

TEST_F(PrivatePool, MaySplitNothing) {
  allocator.retain_pool(pool, {.no_split = true});
  allocator.begin_allocate_to_pool(pool, on_this_thread());
  void* inside = allocator.allocate(512, stream);
  allocator.end_allocate_to_pool(pool);
  EXPECT_EQ(allocator.block_info(inside)->size, 2_MiB);
}

}  // namespace
}  // namespace gpucheck::runtime::test
