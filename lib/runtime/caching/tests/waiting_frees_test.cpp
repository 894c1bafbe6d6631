#include <future>
#include <gtest/gtest.h>
#include <latch>
#include <utility>
#include <vector>

#include "base/text/units.hpp"
#include "device/forwarding/forwarding_device.hpp"
#include "device/owned.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/caching/caching_allocator.hpp"

// A free that waits for other streams records events; others need not wait for that.
namespace gpucheck::runtime::test {
namespace {

using namespace literals;

/// The first event to be recorded stays inside the device until it is let go on.
class SlowEvents final : public device::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

  device::Status record(device::Event event, device::Stream stream) override {
    if (!std::exchange(passed_, true)) {
      inside_.count_down();
      open_.wait();
    }
    return ForwardingDevice::record(event, stream);
  }
  void wait_until_inside() { inside_.wait(); }
  void let_go_on() { open_.count_down(); }

 private:
  bool passed_ = false;
  std::latch inside_{1};
  std::latch open_{1};
};

struct WaitingFrees : testing::Test {
  device::UniqueStream make_stream() {
    return device::own<device::UniqueStream>(device, device.create_stream(device::StreamKind::non_blocking, 0));
  }

  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  SlowEvents device{driver->open(0).value()};
  device::UniqueStream owner = make_stream();
  device::UniqueStream user = make_stream();
  device::UniqueStream other = make_stream();
  CachingAllocator allocator{device};
};

TEST_F(WaitingFrees, OthersGoOnWhileEventsAreRecorded) {
  void* block = allocator.allocate(512, owner.get());
  void* used_later = allocator.allocate(512, owner.get());
  void* kept = allocator.allocate(512, other.get());
  // What raises a peak waits for others: let what follows stay far below it.
  std::vector<void*> many;
  for (int i = 0; i < 32; ++i) many.push_back(allocator.allocate(512, i % 2 == 0 ? owner.get() : other.get()));
  for (void* pointer : many) allocator.free(pointer);
  allocator.record_stream(block, user.get());
  auto slow = std::async(std::launch::async, [&] { allocator.free(block); });
  device.wait_until_inside();
  auto others = std::async(std::launch::async, [&] {
    allocator.free(allocator.allocate(512, other.get()));
    allocator.free(allocator.allocate(512, owner.get()));
    allocator.record_stream(used_later, user.get());
  });
  const auto ready = others.wait_for(std::chrono::seconds(20));
  device.let_go_on();
  slow.get();
  EXPECT_EQ(ready, std::future_status::ready);
  allocator.free(used_later);
  allocator.free(kept);
}

TEST_F(WaitingFrees, CountAsActiveInThePeakOfWhatIsAllocatedMeanwhile) {
  void* block = allocator.allocate(512, owner.get());
  allocator.reset_peak_stats();
  device.let_go_on();
  ASSERT_EQ(device.synchronize(), device::Status::success);
  allocator.record_stream(block, user.get());
  const PoolId pool = graph_pool_handle();
  allocator.begin_allocate_to_pool(pool, on_stream(user.get()));  // events are not queried meanwhile
  allocator.free(block);
  allocator.free(allocator.allocate(512, owner.get()));
  allocator.end_allocate_to_pool(pool);
  const MemoryStatistics now = allocator.stats();
  EXPECT_EQ(now.active.all.current, 1);
  EXPECT_EQ(now.active.all.peak, 2);
  EXPECT_EQ(now.active_bytes.all.peak, 1'024);
  EXPECT_EQ(now.allocation.all.peak, 1);
  allocator.release_pool(pool);
}

}  // namespace
}  // namespace gpucheck::runtime::test
