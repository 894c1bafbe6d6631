#pragma once

#include <string>

#include "telemetry/machine/machine.hpp"

namespace gpucheck::application {

/// The state of a machine's GPUs for people, a few lines for each; ends with a newline.
std::string telemetry_text(const telemetry::Machine& machine);

}  // namespace gpucheck::application
