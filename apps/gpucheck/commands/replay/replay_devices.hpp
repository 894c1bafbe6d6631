#pragma once

#include <string>

#include "replay/verdict/request.hpp"

namespace gpucheck::application {

/// "sim" in a replay: a simulated device that is made as large as a trace needs.
inline constexpr const char* simulated_to_fit = "sim";

/// Simulated devices made to fit, or the device of that name. Opens none yet.
replay::DeviceSource replay_devices(const std::string& device_name);

}  // namespace gpucheck::application
