#include "device/sim/sim_driver.hpp"
#include "device/tests/suites.hpp"

namespace gpucheck::device::contract {
namespace {

Backend simulated(std::string_view profile, std::uint64_t seed) {
  return {.label = std::string(profile) + "_seed" + std::to_string(seed),
          .make_driver = [profile, seed]() -> std::unique_ptr<Driver> {
            return sim::make_driver({.profile = sim::profile(profile), .seed = seed});
          }};
}

// A small and a large device, and with each another interleaving.
const auto simulated_devices = testing::Values(simulated("small", 0), simulated("h100", 1));

GPUCHECK_INSTANTIATE_CONTRACT(sim, simulated_devices);

}  // namespace
}  // namespace gpucheck::device::contract
