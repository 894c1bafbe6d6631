#pragma once

#include <memory>

#include "device/sim/sim_driver.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::observe::test {

/// A runtime on a simulated H100.
struct Simulated {
  std::unique_ptr<sim::Driver> driver = sim::make_driver({.profile = sim::profile("h100")});
  std::unique_ptr<device::Device> device = driver->open(0).value();
  runtime::Runtime runtime{*device};
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  device::Stream stream = device->default_stream();
};

}  // namespace gpucheck::observe::test
