#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "device/fault/common_plans.hpp"
#include "device/fault/fault_driver.hpp"
#include "device/sim/sim_driver.hpp"
#include "runtime/graphs/graph.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/tests/error_of.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::runtime::test {

/// A runtime on a simulated device that misbehaves by a plan, with a side stream.
class Faulty {
 public:
  explicit Faulty(const fault::Plan& plan = {}) {
    auto driver = sim::make_driver({.profile = sim::profile("small")});
    simulator_ = driver.get();
    driver_ = fault::inject(std::move(driver), plan);
    device_ = driver_->open(0).value();
    runtime_ = std::make_unique<Runtime>(*device_);
    side_ = runtime_->streams().next();
  }

  Runtime& runtime() { return *runtime_; }
  device::Device& device() { return *device_; }
  [[nodiscard]] device::Stream side() const { return side_; }
  [[nodiscard]] device::LiveHandles live_handles() const { return driver_->live_handles().value(); }

  /// Captures "one value = 7" on the current stream.
  void capture(Graph& graph, PoolId pool = {}) {
    Buffer<std::int64_t> value(*runtime_, 1, side_);
    graph.capture_begin(pool);
    tensor::ops::fill(*runtime_, value.data(), 1, std::int64_t{7}, runtime_->current_stream());
    graph.capture_end();
  }

  /// Nothing is left of what went wrong: no error, no routing, no capture; the next graph works.
  void expect_usable(const std::string& after) {
    EXPECT_EQ(device_->last_error(), device::Status::success) << after;
    const CurrentStreamGuard current(*runtime_, side_);
    Buffer<std::int64_t> value(*runtime_, 1, side_);
    EXPECT_TRUE(pool_of(value.data()).is_default()) << after;
    tensor::ops::fill(*runtime_, value.data(), 1, std::int64_t{30}, side_);
    {
      Graph graph(*runtime_);
      graph.capture_begin();
      tensor::ops::add(*runtime_, value.data(), value.data(), 1, std::int64_t{4}, side_);
      graph.capture_end();
      graph.replay();
      graph.replay();
    }
    std::int64_t seen = 0;
    device::check(device_->copy(&seen, value.data(), sizeof(seen), device::CopyKind::device_to_host, side_), "copy");
    device::check(device_->synchronize(side_), "synchronize");
    EXPECT_EQ(seen, 38) << after;
    EXPECT_TRUE(simulator_->races().empty()) << after;
  }

  /// Neither graphs nor executables are left on the device, and no memory in a graph's pool.
  void expect_nothing_left(const std::string& after) {
    EXPECT_EQ(live_handles().graphs, 0U) << after;
    EXPECT_EQ(live_handles().executables, 0U) << after;
    runtime_->allocator().empty_cache();
    for (const SegmentInfo& segment : runtime_->allocator().snapshot()) {
      EXPECT_TRUE(segment.pool.is_default()) << after;
    }
  }

  PoolId pool_of(const void* pointer) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    for (const SegmentInfo& segment : runtime_->allocator().snapshot()) {
      if (address >= segment.address && address < segment.address + segment.total_size) return segment.pool;
    }
    ADD_FAILURE() << "in no segment";
    return {};
  }

 private:
  sim::Driver* simulator_ = nullptr;
  std::unique_ptr<device::Driver> driver_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<Runtime> runtime_;
  device::Stream side_;
};

}  // namespace gpucheck::runtime::test
