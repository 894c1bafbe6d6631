#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cases/telemetry_readings.hpp"
#include "harness/case.hpp"

/// What the health cases share.
namespace gpucheck::cases::in_health {

using telemetry::Aspect;
using telemetry::Gpu;
using telemetry::Reading;

inline constexpr std::string_view nvml_documentation = "NVIDIA's management library (NVML)";

/// How much `value` is beyond `limit`; 0 where it is within.
inline std::int64_t over(std::int64_t limit, std::int64_t value) { return value > limit ? value - limit : 0; }

/// The window in which a case looks: the parameter `window_ms`, where it is 0 as the device needs it. A link wakes up
/// within milliseconds; NVML's utilization and power are averages over up to a second.
[[nodiscard]] harness::Parameter window_parameter();
[[nodiscard]] std::chrono::milliseconds window(harness::Context& context);

/// Copies between host and device, both ways at once, for as long as the window lasts, and looks at the GPU's gauges
/// again and again while copies are under way. @return what was seen, oldest first; two looks at least.
/// @throws DeviceError; what `GpuWatch::gpu` throws.
[[nodiscard]] std::vector<Gpu> gauges_under_load(harness::Context& context, std::chrono::milliseconds window);

/// The values of one gauge that are there, from the second half of the looks: a GPU that slept has woken up by then.
[[nodiscard]] std::vector<std::int64_t> settled(const std::vector<Gpu>& looks, Reading gauge);

/// The largest value of a gauge in all looks, one at least of which has it.
/// @throws as `required_number` where none has.
[[nodiscard]] std::int64_t peak(const std::vector<Gpu>& looks, Reading gauge);

}  // namespace gpucheck::cases::in_health
