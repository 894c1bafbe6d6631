#include <gtest/gtest.h>
#include <memory>

#include "cases/bandwidth/peers_support.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/sim/sim_driver.hpp"

// What several devices are measured with.
namespace gpucheck::cases::in_bandwidth {
namespace {

/// Two simulated devices, and a stream of each.
class TogetherOnTwo : public testing::Test {
 protected:
  /// Work of 4 ms: the simulated device varies what operations take by less than a quarter.
  static void expect_four(double ms) {
    EXPECT_GE(ms, 4);
    EXPECT_LT(ms, 5);
  }
  void spin(std::size_t which, std::uint64_t milliseconds) {
    const device::kernels::Spin spin{milliseconds * 1'000'000};
    device::check(device::launch(*devices_[which], spin, 1, streams_[which].get()), "spin");
  }
  device::UniqueEvent record() {
    device::Device& device = *devices_[0];
    device::UniqueEvent event =
        device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::timing));
    device::check(device, device.record(event.get(), streams_[0].get()), "record");
    return event;
  }
  /// Milliseconds on the first device, after `before` of its work, of spins of so many on each.
  double sample(std::uint64_t before, std::uint64_t first, std::uint64_t second) {
    const Together together({devices_[0].get(), streams_[0].get()}, {{devices_[1].get(), streams_[1].get()}});
    spin(0, before);
    const device::UniqueEvent start = record();
    together.run([&] {
      spin(0, first);
      spin(1, second);
    });
    const device::UniqueEvent stop = record();
    device::check(*devices_[0], devices_[0]->synchronize(stop.get()), "synchronize");
    return static_cast<double>(devices_[0]->elapsed_ms(start.get(), stop.get()).value());
  }

 private:
  device::UniqueStream make_stream(std::size_t which) {
    return device::own<device::UniqueStream>(*devices_[which],
                                             devices_[which]->create_stream(device::StreamKind::non_blocking, 0));
  }
  std::unique_ptr<sim::Driver> driver_ = sim::make_driver({.profile = sim::profile("small"), .device_count = 2});
  std::array<std::unique_ptr<device::Device>, 2> devices_{driver_->open(0).value(), driver_->open(1).value()};
  std::array<device::UniqueStream, 2> streams_{make_stream(0), make_stream(1)};
};

TEST_F(TogetherOnTwo, ASampleEndsWithTheLast) {
  expect_four(sample(0, 1, 4));
  expect_four(sample(0, 4, 1));
}

TEST_F(TogetherOnTwo, NoneBeginsBeforeAllCan) { expect_four(sample(10, 1, 4)); }

TEST(Slowest, IsTheLeastSpeedAndTheWidestSpread) {
  Slowest slowest("copy");
  EXPECT_EQ(slowest.gbps(), 0);
  slowest.add({.bytes = 6'000'000, .ms = {1, 1, 1}});
  slowest.add({.bytes = 6'000'000, .ms = {2, 3, 4}});
  slowest.add({.bytes = 6'000'000, .ms = {2, 2, 2}});
  EXPECT_DOUBLE_EQ(slowest.gbps(), 2);
  EXPECT_NEAR(slowest.spread_percent(), 200.0 / 3, 1e-9);
}

}  // namespace
}  // namespace gpucheck::cases::in_bandwidth
