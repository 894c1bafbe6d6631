#pragma once

#include "telemetry/nvml/asker.hpp"

namespace gpucheck::telemetry::nvml {

/// What the driver itself holds of the GPU's state: the infoROM, the SRAM's threshold, the thermal margin, the fabric;
/// and the memory of graphics programs. The infoROM only where it was not asked before.
void ask_state(const Asker& ask, Gpu& gpu);

}  // namespace gpucheck::telemetry::nvml
