#include "device/sim/sim_driver.hpp"
#include "device/tests/suites.hpp"

namespace gpucheck::device::contract {
namespace {

Backend simulated(std::string_view profile, std::uint64_t seed, int device_count) {
  return {.label = std::string(profile) + "_seed" + std::to_string(seed),
          .make_driver = [=]() -> std::unique_ptr<Driver> {
            return sim::make_driver({.profile = sim::profile(profile), .seed = seed, .device_count = device_count});
          }};
}

// A small device, and two large ones with another interleaving.
const auto simulated_devices = testing::Values(simulated("small", 0, 1), simulated("h100", 1, 2));

GPUCHECK_INSTANTIATE_CONTRACT(sim, simulated_devices);

}  // namespace
}  // namespace gpucheck::device::contract
