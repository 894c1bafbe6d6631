#include "runtime/pinned/pinned_statistics.hpp"

#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "device/forwarding/forwarding_device.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/pinned/pinned_allocator.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::runtime::test {
namespace {

using device::Status;

TEST(DurationStatistics, AddUpAndKeepTheEnds) {
  DurationStatistic time;
  EXPECT_EQ(time.average(), 0);
  time.add(30);
  EXPECT_EQ(time, (DurationStatistic{.total = 30, .max = 30, .min = 30, .count = 1}));
  time.add(50);
  time.add(10);
  time.add(20);
  EXPECT_EQ(time, (DurationStatistic{.total = 110, .max = 50, .min = 10, .count = 4}));
  EXPECT_EQ(time.average(), 27);
  DurationStatistic nothing;
  nothing.add(0);
  nothing.add(5);
  EXPECT_EQ(nothing.min, 0);
}

Statistic numbered(std::int64_t first) {
  return {.current = first, .peak = first + 1, .allocated = first + 2, .freed = first + 3};
}

// Each number of its own, so that none can stand in another's place.
TEST(PinnedStatisticsText, HasEachNumberByItsName) {
  const PinnedStatistics statistics{.allocations = numbered(10),
                                    .allocated_bytes = numbered(20),
                                    .active_requests = numbered(30),
                                    .active_bytes = numbered(40),
                                    .host_alloc_time = {.total = 52, .max = 51, .min = 50, .count = 4},
                                    .host_free_time = {.total = 63, .max = 61, .min = 60, .count = 3},
                                    .num_host_alloc = 70,
                                    .num_host_free = 71};
  const FlatStatistics expected{{"active_bytes.allocated", 42},
                                {"active_bytes.current", 40},
                                {"active_bytes.freed", 43},
                                {"active_bytes.peak", 41},
                                {"active_requests.allocated", 32},
                                {"active_requests.current", 30},
                                {"active_requests.freed", 33},
                                {"active_requests.peak", 31},
                                {"allocated_bytes.allocated", 22},
                                {"allocated_bytes.current", 20},
                                {"allocated_bytes.freed", 23},
                                {"allocated_bytes.peak", 21},
                                {"allocations.allocated", 12},
                                {"allocations.current", 10},
                                {"allocations.freed", 13},
                                {"allocations.peak", 11},
                                {"host_alloc_time.avg", 13},
                                {"host_alloc_time.count", 4},
                                {"host_alloc_time.max", 51},
                                {"host_alloc_time.min", 50},
                                {"host_alloc_time.total", 52},
                                {"host_free_time.avg", 21},
                                {"host_free_time.count", 3},
                                {"host_free_time.max", 61},
                                {"host_free_time.min", 60},
                                {"host_free_time.total", 63},
                                {"num_host_alloc", 70},
                                {"num_host_free", 71}};
  EXPECT_EQ(flatten(statistics), expected);
}

/// Fails as many frees of pinned memory as the test says, and answers queries of events as the test says.
class FailingDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  using ForwardingDevice::query;
  Status free_pinned(void* pointer) override {
    if (frees_to_fail > 0 && frees_to_fail-- > 0) return Status::invalid_value;
    return ForwardingDevice::free_pinned(pointer);
  }
  Status query(device::Event event) override {
    return answer == Status::success ? ForwardingDevice::query(event) : answer;
  }
  int frees_to_fail = 0;
  Status answer = Status::success;  ///< in place of the event's own
};

class PinnedStatisticsTest : public testing::Test {
 protected:
  PinnedAllocator::Allocation allocate(std::size_t bytes) { return allocator.allocate(bytes, stream); }
  /// A block that the stream used, freed.
  PinnedAllocator::Allocation freed_behind_stream(std::size_t bytes) {
    const PinnedAllocator::Allocation block = allocate(bytes);
    EXPECT_TRUE(allocator.record_event(block.pointer, block.context, stream));
    allocator.free(block.context);
    return block;
  }
  static void expect(const Statistic& seen, std::int64_t current, std::int64_t peak, std::int64_t allocated,
                     std::int64_t freed) {
    EXPECT_EQ(seen.current, current);
    EXPECT_EQ(seen.peak, peak);
    EXPECT_EQ(seen.allocated, allocated);
    EXPECT_EQ(seen.freed, freed);
  }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("small")});
  FailingDevice device{driver->open(0).value()};
  device::Stream stream = device.create_stream(device::StreamKind::non_blocking, 0).value();
  PinnedAllocator allocator{device};
};

// Two blocks of 64 bytes at once, then one of 1024: all three are free when the cache is emptied.
TEST_F(PinnedStatisticsTest, PeaksStayWhenMemoryGoes) {
  const auto first = allocate(64);
  const auto second = allocate(33);
  EXPECT_EQ(allocator.live_allocations().count, 2);
  EXPECT_EQ(allocator.live_allocations().bytes, 128);
  allocator.free(first.context);
  EXPECT_EQ(allocator.live_allocations().count, 1);
  EXPECT_EQ(allocator.live_allocations().bytes, 64);
  allocator.free(second.context);
  allocator.free(allocate(1024).context);
  allocator.empty_cache();
  PinnedStatistics seen = allocator.stats();
  expect(seen.allocations, 0, 3, 3, 3);
  expect(seen.allocated_bytes, 0, 1152, 1152, 1152);
  EXPECT_EQ(seen.num_host_alloc, 3);
  EXPECT_EQ(seen.num_host_free, 3);
  EXPECT_EQ(seen.host_alloc_time.count, 3);
  EXPECT_EQ(seen.host_free_time.count, 3);
  static_cast<void>(allocate(16));
  allocator.reset_peak_stats();
  seen = allocator.stats();
  expect(seen.allocations, 1, 1, 4, 3);
  expect(seen.allocated_bytes, 16, 16, 1168, 1152);
  EXPECT_EQ(seen.active_requests.peak, seen.active_requests.current);
  EXPECT_EQ(seen.active_bytes.peak, seen.active_bytes.current);
  EXPECT_EQ(seen.host_alloc_time.count, 4);
  EXPECT_EQ(seen.host_alloc_time.max, 0);
  EXPECT_EQ(seen.host_free_time.min, 0);
  allocator.reset_accumulated_stats();
  seen = allocator.stats();
  expect(seen.allocations, 1, 1, 0, 0);
  expect(seen.allocated_bytes, 16, 16, 0, 0);
  EXPECT_EQ(seen.active_requests.allocated, 0);
  EXPECT_EQ(seen.active_bytes.allocated, 0);
  EXPECT_EQ(seen.host_alloc_time, DurationStatistic{});
  EXPECT_EQ(seen.host_free_time, DurationStatistic{});
}

// The peak is the sum of the size classes' own: 2 of 64 bytes, and later 1 of 1024.
TEST_F(PinnedStatisticsTest, ActiveRequestsFallWhenBlocksComeBackAfterEvents) {
  const auto first = allocate(64);
  const auto second = freed_behind_stream(64);
  allocator.empty_cache();
  PinnedStatistics seen = allocator.stats();
  expect(seen.active_requests, 1, 2, 2, 1);
  expect(seen.active_bytes, 129, 128, 128, -1);  // as PyTorch has it: a size of -1 stands for any
  freed_behind_stream(1024);
  allocator.empty_cache();
  seen = allocator.stats();
  expect(seen.active_requests, 1, 3, 3, 2);
  allocator.reset_peak_stats();
  EXPECT_EQ(allocator.stats().active_requests.peak, 1);
  allocator.reset_accumulated_stats();
  EXPECT_EQ(allocator.stats().active_requests.freed, 0);
  EXPECT_EQ(allocator.stats().active_bytes.freed, 0);
  EXPECT_NE(first.pointer, second.pointer);
}

TEST_F(PinnedStatisticsTest, AReleaseThatFailsKeepsNoOtherOne) {
  const auto first = allocate(64);
  const auto second = allocate(64);
  const auto third = allocate(64);
  for (const auto& block : {first, second, third}) allocator.free(block.context);
  device.frees_to_fail = 1;
  EXPECT_THROW(allocator.empty_cache(), device::DeviceError);
  EXPECT_EQ(allocator.stats().allocations.current, 1);
  EXPECT_EQ(allocator.stats().num_host_free, 2);
}

// Where an event cannot be asked the error is said, and the block comes back once it can be.
TEST_F(PinnedStatisticsTest, AFailedQueryIsAnErrorAndLosesNothing) {
  const auto block = freed_behind_stream(64);
  device.answer = Status::launch_failure;
  EXPECT_THROW(static_cast<void>(allocate(64)), device::DeviceError);
  EXPECT_THROW(allocator.empty_cache(), device::DeviceError);
  device.answer = Status::not_ready;
  const auto other = allocate(64);
  EXPECT_NE(other.pointer, block.pointer);
  device.answer = Status::success;
  EXPECT_EQ(allocate(64).pointer, block.pointer);
}

}  // namespace
}  // namespace gpucheck::runtime::test
