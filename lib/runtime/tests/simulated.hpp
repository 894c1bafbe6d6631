#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::runtime::test {

/// Work that takes so much virtual time is found unfinished.
inline constexpr std::uint64_t long_time_ns = 50'000'000;

/// A simulated H100 (or another profile) with a runtime on it.
class Simulated {
 public:
  explicit Simulated(std::uint64_t seed = 0, sim::Profile profile = sim::profile("h100"))
      : driver_(sim::make_driver({.profile = std::move(profile), .seed = seed})),
        device_(driver_->open(0).value()),
        runtime_(std::make_unique<Runtime>(*device_)) {}

  sim::Driver& driver() { return *driver_; }
  device::Device& device() { return *device_; }
  Runtime& runtime() { return *runtime_; }
  CachingAllocator& allocator() { return runtime_->caching_allocator(); }
  device::Stream default_stream() { return device_->default_stream(); }
  device::Stream side_stream() { return runtime_->streams().next(); }
  /// Ends the runtime while the device lives on.
  void end_runtime() { runtime_.reset(); }

 private:
  std::unique_ptr<sim::Driver> driver_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<Runtime> runtime_;
};

}  // namespace gpucheck::runtime::test
