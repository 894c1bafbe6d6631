#pragma once

#include <optional>
#include <string>

namespace gpucheck::telemetry::nvml {

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
