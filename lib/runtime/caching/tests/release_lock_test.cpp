#include <future>
#include <gtest/gtest.h>
#include <latch>
#include <optional>

#include "base/text/units.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/allocator/errors.hpp"
#include "runtime/caching/caching_allocator.hpp"

// release_lock_on_cudamalloc: while the device allocates for one thread, the others go on.
namespace gpucheck::runtime::test {
namespace {

using namespace literals;

/// One allocation stays inside the device until it is let go on, and then may fail.
class SlowDevice final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  [[nodiscard]] device::Result<void*> allocate(std::size_t bytes) override {
    if (bytes != slow_bytes || std::exchange(passed_, true)) return ForwardingDevice::allocate(bytes);
    inside_.count_down();
    open_.wait();
    if (failure_ != device::Status::success) return failure_;
    return ForwardingDevice::allocate(bytes);
  }
  void wait_until_inside() { inside_.wait(); }
  void let_go_on(device::Status failure = device::Status::success) {
    failure_ = failure;
    open_.count_down();
  }

  static constexpr std::size_t slow_bytes = 22_MiB;

 private:
  bool passed_ = false;
  std::latch inside_{1};
  std::latch open_{1};
  device::Status failure_ = device::Status::success;
};

class ReleaseLock : public testing::Test {
 protected:
  ReleaseLock() { allocator.set_settings("release_lock_on_cudamalloc:True"); }

  /// Another thread's allocation; on return it is inside the device.
  std::future<void*> begin_slow_allocation() {
    auto result = std::async(std::launch::async, [&] { return allocator.allocate(SlowDevice::slow_bytes, stream); });
    device.wait_until_inside();
    return result;
  }
  void allocate_and_free(device::Stream on) { allocator.free(allocator.allocate(512, on)); }
  std::uint64_t reserved() { return static_cast<std::uint64_t>(allocator.stats().reserved_bytes.all.current); }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  SlowDevice device{driver->open(0).value()};
  device::UniqueStream own =
      device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  device::Stream stream = own.get();
  CachingAllocator allocator{device};
};

TEST_F(ReleaseLock, CachedMemoryComesAndGoesMeanwhile) {
  allocate_and_free(stream);
  allocate_and_free(device.default_stream());
  auto slow = begin_slow_allocation();
  auto others = std::async(std::launch::async, [&] {
    allocate_and_free(stream);
    allocate_and_free(device.default_stream());
    allocator.free(allocator.allocate(2_MiB, device.default_stream()));  // a segment of its own
    allocator.empty_cache();
    return allocator.snapshot().size();
  });
  const auto ready = others.wait_for(std::chrono::seconds(20));
  device.let_go_on();
  ASSERT_EQ(ready, std::future_status::ready);
  EXPECT_EQ(others.get(), 0U);
  EXPECT_EQ(allocator.block_info(slow.get())->size, SlowDevice::slow_bytes);
  EXPECT_EQ(reserved(), SlowDevice::slow_bytes);
}

TEST_F(ReleaseLock, WithoutTheSettingEverybodyWaits) {
  allocator.set_settings("release_lock_on_cudamalloc:False");
  allocate_and_free(device.default_stream());
  auto slow = begin_slow_allocation();
  auto other = std::async(std::launch::async, [&] { allocate_and_free(device.default_stream()); });
  EXPECT_EQ(other.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  device.let_go_on();
  other.get();
  EXPECT_NE(slow.get(), nullptr);
}

TEST_F(ReleaseLock, TheLimitCountsWhatIsOnItsWay) {
  const auto total = static_cast<double>(device.properties().total_memory_bytes);
  allocator.set_memory_fraction(static_cast<double>(40_MiB) / total);
  auto slow = begin_slow_allocation();
  EXPECT_THROW(static_cast<void>(allocator.allocate(20_MiB, stream)), OutOfMemoryError);
  void* small = allocator.allocate(12_MiB, stream);
  device.let_go_on();
  EXPECT_NE(slow.get(), nullptr);
  EXPECT_EQ(reserved(), 34_MiB);
  allocator.free(small);
  allocator.empty_cache();
  EXPECT_NE(allocator.allocate(16_MiB, stream), nullptr);  // and not what has arrived twice
}

TEST_F(ReleaseLock, APoolGivenUpMeanwhileStaysForTheRequest) {
  const PoolId pool = graph_pool_handle();
  const PoolId later = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_stream(stream));
  auto slow = begin_slow_allocation();
  allocator.end_allocate_to_pool(pool);
  allocator.release_pool(pool);
  allocator.empty_cache();
  allocator.begin_allocate_to_pool(later, on_stream(device.default_stream()));
  allocate_and_free(device.default_stream());
  allocator.end_allocate_to_pool(later);
  device.let_go_on();
  void* block = slow.get();
  EXPECT_EQ(allocator.snapshot(pool).size(), 1U);
  EXPECT_EQ(allocator.snapshot(later).size(), 1U);
  allocator.free(block);
  allocator.empty_cache();
  EXPECT_EQ(allocator.snapshot(pool).size(), 0U);
  EXPECT_EQ(reserved(), 2_MiB);
}

TEST_F(ReleaseLock, WhatIsFreedMeanwhileServesWhereTheDeviceHasNoMore) {
  void* last = allocator.allocate(24_MiB, stream);
  auto slow = begin_slow_allocation();
  allocator.free(last);
  device.let_go_on(device::Status::out_of_memory);
  EXPECT_EQ(slow.get(), last);
  EXPECT_EQ(allocator.stats().num_alloc_retries, 0U);
  EXPECT_EQ(reserved(), 24_MiB);
}

TEST_F(ReleaseLock, AFailureOfTheDeviceTakesTheLocksBack) {
  auto slow = begin_slow_allocation();
  device.let_go_on(device::Status::launch_failure);
  EXPECT_THROW(slow.get(), device::DeviceError);
  EXPECT_NE(allocator.allocate(SlowDevice::slow_bytes, stream), nullptr);
  EXPECT_EQ(reserved(), SlowDevice::slow_bytes);
}

}  // namespace
}  // namespace gpucheck::runtime::test
