#pragma once

#include "device/sim/sim_driver.hpp"
#include "device/tests/contract.hpp"

namespace gpucheck::device::contract {

inline Backend simulated(std::string_view profile, std::uint64_t seed, int device_count) {
  return {.label = std::string(profile) + "_seed" + std::to_string(seed),
          .make_driver = [=]() -> std::unique_ptr<Driver> {
            return sim::make_driver({.profile = sim::profile(profile), .seed = seed, .device_count = device_count});
          }};
}

/// What a contract is kept on: a small device, and two large ones with another interleaving.
inline auto simulated_backends() { return testing::Values(simulated("small", 0, 1), simulated("h100", 1, 2)); }

}  // namespace gpucheck::device::contract
