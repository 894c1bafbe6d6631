#pragma once

#include "base/nvml/nvml_library.hpp"
#include "telemetry/machine/machine.hpp"
#include "telemetry/source.hpp"

/// The questions to one GPU: each reading, and the call that answers it.
namespace gpucheck::telemetry::nvml {

using namespace gpucheck::nvml;  // the library's own names

/// What stays the same while the driver is loaded; all else is "not asked".
[[nodiscard]] Gpu ask_identity(const Library& library, Device device);

/// Adds the readings of the subset; with everything also links and processes.
/// @param driver_version which numbers some fields have: see `first_duration_field`. Where it failed to be read, these
/// fields have failed with it.
void ask(const Library& library, Device device, Subset subset, const Value& driver_version, Gpu& gpu);

}  // namespace gpucheck::telemetry::nvml
