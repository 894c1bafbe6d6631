#pragma once

#include "base/text/units.hpp"
#include "device/sim/sim_driver.hpp"
#include "replay/verdict/request.hpp"

namespace gpucheck::replay {

/// Simulated devices of any size up to 128 GiB, by default 64 GiB.
inline DeviceSource simulated_devices() {
  return {DeviceSource::Sizes{64_GiB, 128_GiB}, [](std::optional<std::uint64_t> bytes) {
            sim::Profile profile = sim::profile("h100");
            profile.properties.total_memory_bytes = bytes.value() + profile.reserved_memory_bytes;
            PlayedDevice played{sim::make_driver({.profile = profile}), nullptr, "sim", "", true};
            played.device = played.driver->open(0).value();
            return played;
          }};
}

}  // namespace gpucheck::replay
