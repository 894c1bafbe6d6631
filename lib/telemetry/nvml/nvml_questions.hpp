#pragma once

#include <optional>
#include <string>

#include "base/nvml_library.hpp"
#include "telemetry/machine.hpp"
#include "telemetry/source.hpp"

/// The questions to one GPU: each reading, and the call that answers it.
namespace gpucheck::telemetry::nvml {

using namespace gpucheck::nvml;  // the library's own names

/// What stays the same while the driver is loaded; all else is "not asked".
[[nodiscard]] Gpu ask_identity(const Library& library, Device device);

/// Adds the readings of the subset; with everything also links and processes.
/// @param driver_version which numbers some fields have: see `first_duration_field`.
void ask(const Library& library, Device device, Subset subset, const std::string& driver_version, Gpu& gpu);

/// NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN, which ..._HW_THERM_SLOWDOWN and ..._HW_POWER_BRAKE_SLOWDOWN
/// follow: how long each held the clocks down. None before driver 575, where these numbers mean something else or
/// nothing; a version that cannot be read is taken for a newer one.
///
/// NVML's change log: added in 575 (251 to 253 in nvml.h of CUDA 12.9, which moved power smoothing), renumbered in 580
/// so that power smoothing is again where 570 has it (269 to 271 in nvml.h of CUDA 13.0). The first driver of 580,
/// 580.65.06, still has the first numbering: that is what its nvidia-smi asks for (NVIDIA/k8s-test-infra, pull request
/// 691). On an H100, which has no power smoothing, 580.159.04 answers 269 to 271 and says "not supported" for 251 to
/// 268.
[[nodiscard]] std::optional<unsigned> first_duration_field(const std::string& driver_version);

}  // namespace gpucheck::telemetry::nvml
