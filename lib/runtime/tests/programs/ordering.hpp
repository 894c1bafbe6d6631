#pragma once

#include "device/check.hpp"
#include "device/owned.hpp"

namespace gpucheck::runtime::test {

/// What `later` is given from now on comes after what `earlier` has.
inline void order(device::Device& device, device::Stream later, device::Stream earlier) {
  if (later == earlier) return;
  const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
  device::check(device, device.record(event.get(), earlier), "record");
  device::check(device, device.wait(later, event.get()), "wait");
}

}  // namespace gpucheck::runtime::test
