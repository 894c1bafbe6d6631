#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cases/telemetry_readings.hpp"
#include "harness/case/case.hpp"

/// What the health cases share.
namespace gpucheck::cases::in_health {

using telemetry::Aspect;
using telemetry::Gpu;
using telemetry::Reading;

inline constexpr std::string_view nvml_documentation = "NVIDIA's management library (NVML)";

/// How much `value` is beyond `limit`; 0 where it is within.
inline std::int64_t over(std::int64_t limit, std::int64_t value) { return value > limit ? value - limit : 0; }

/// The machine; where its driver's library does not work, what the operating system reports alone.
/// @param problem why the library does not; empty where it does.
/// @throws telemetry::NoAnswer where the driver hangs.
[[nodiscard]] telemetry::Machine machine_or_host(harness::Context& context, std::string& problem);

/// Stands in place of a value that is judged where the driver does not offer what it follows from. Golden files allow
/// it by name, so that what is absent is never taken for 0.
inline constexpr const char* not_available = "not available";
inline void observe_not_available(harness::Context& context, const std::string& key) {
  context.observe(key, not_available);
}

/// What is wrong, or that it is not available.
inline void observe_known(harness::Context& context, const std::string& key,
                          const std::optional<std::vector<std::string>>& complaints) {
  if (complaints) return context.observe(key, *complaints);
  observe_not_available(context, key);
}

/// Whether there is a value. @throws EnvironmentError where the driver failed to answer.
inline bool is_offered(const Gpu& gpu, Reading reading) {
  if (telemetry::is_failure(gpu[reading])) throw EnvironmentError(without_value(gpu, reading));
  return telemetry::problem(gpu[reading]) == nullptr;
}

/// As cases::tell does. @throws EnvironmentError where the driver failed to answer.
inline void tell(harness::Context& context, const std::string& key, const telemetry::Value& value) {
  if (telemetry::is_failure(value)) throw EnvironmentError(fmt::format("{}: {}", key, *telemetry::problem(value)));
  cases::tell(context, key, value);
}

/// The window in which a case looks: the parameter `window_ms`, where it is 0 as the device needs it. A link wakes up
/// within milliseconds; NVML's utilization and power are averages over up to a second.
[[nodiscard]] harness::Parameter window_parameter();
[[nodiscard]] std::chrono::milliseconds window(harness::Context& context);

/// Copies between host and device, both ways at once, for as long as the window lasts, and looks at the GPU's gauges
/// again and again while copies are under way. @return what was seen, oldest first; two looks at least.
/// @throws DeviceError; what `GpuWatch::gpu` throws.
[[nodiscard]] std::vector<Gpu> gauges_under_load(harness::Context& context, std::chrono::milliseconds window);

/// The values of one gauge that are there, from the second half of the looks: a GPU that slept has woken up by then.
/// @throws EnvironmentError where the driver failed to say it at any look.
[[nodiscard]] std::vector<std::int64_t> settled(const std::vector<Gpu>& looks, Reading gauge);

/// The largest value of a gauge in all looks, one at least of which has it.
/// @throws as `required_number` where none has; EnvironmentError as `settled`.
[[nodiscard]] std::int64_t peak(const std::vector<Gpu>& looks, Reading gauge);

}  // namespace gpucheck::cases::in_health
