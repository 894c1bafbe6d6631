#pragma once

#include "harness/result/result.hpp"

namespace gpucheck::golden {

/// What an H200 reports of itself.
inline harness::DeviceIdentity h200() {
  harness::DeviceIdentity device;
  device.kind = "cuda";
  device.name = "NVIDIA H200";
  device.multiprocessor_count = 132;
  device.compute_capability_major = 9;
  device.multiprocessor_clock_khz = 1'980'000;
  device.memory_clock_khz = 3'201'000;
  device.memory_bus_bits = 6144;
  device.host_link_generation = 5;
  device.host_link_lanes = 16;
  device.peer_links = 18;
  device.peer_link_mbps = 26'562;
  return device;
}

}  // namespace gpucheck::golden
