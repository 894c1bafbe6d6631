#include <gtest/gtest.h>

#include "base/units.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "runtime/tests/simulated.hpp"

namespace gpucheck::runtime::test {
namespace {

using namespace literals;

/// A block that has gone to and fro so often that its rounds are only counted.
struct RecurringBlock : testing::Test {
  Simulated machine;
  CachingAllocator& allocator = machine.allocator();
  device::Stream stream = machine.default_stream();
  void* block = allocator.allocate(1'000, stream);

  void go_to_and_fro(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      allocator.free(block);
      ASSERT_EQ(allocator.allocate(1'000, stream), block);
    }
  }
};

TEST_F(RecurringBlock, EveryRoundCounts) {
  go_to_and_fro(10);
  const MemoryStatistics now = allocator.stats();
  EXPECT_EQ(now.allocation.all.allocated, 11);
  EXPECT_EQ(now.allocation.all.freed, 10);
  EXPECT_EQ(now.allocated_bytes.all.allocated, 11 * 1'024);
  EXPECT_EQ(now.requested_bytes.all.allocated, 11 * 1'000);
  EXPECT_EQ(now.allocation.all.peak, 1);
  // Cut off the segment's beginning each time.
  EXPECT_EQ(now.inactive_split.all.allocated, 11);
  EXPECT_EQ(now.inactive_split_bytes.all.allocated, 11 * static_cast<std::int64_t>(2_MiB - 1'024));
}

TEST_F(RecurringBlock, IsNotFreedTwice) {
  go_to_and_fro(3);
  allocator.free(block);
  EXPECT_THROW(allocator.free(block), Error);
  EXPECT_EQ(allocator.stats().allocation.all.current, 0);
}

TEST_F(RecurringBlock, IsNotHandedOutTwice) {
  go_to_and_fro(3);
  EXPECT_NE(allocator.allocate(1'000, stream), block);
  EXPECT_EQ(allocator.stats().allocation.all.current, 2);
}

TEST_F(RecurringBlock, IsNotHandedOutTwiceWhenGivenUp) {
  go_to_and_fro(3);
  allocator.free(block);
  EXPECT_EQ(allocator.allocate(900, stream), block);
  EXPECT_NE(allocator.allocate(1'000, stream), block);
}

TEST_F(RecurringBlock, WaitsForTheStreamsThatUseIt) {
  go_to_and_fro(3);
  const device::Stream side = machine.side_stream();
  ASSERT_EQ(device::launch(machine.device(), device::kernels::Spin{50'000'000}, 1, side), device::Status::success);
  allocator.record_stream(block, side);
  allocator.free(block);
  EXPECT_NE(allocator.allocate(1'000, stream), block);
}

}  // namespace
}  // namespace gpucheck::runtime::test
