#pragma once

#include <cstdint>
#include <span>

#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health {

/// Some time in which a GPU worked.
struct WorkSeen {
  Gpu before;                             ///< its counters when that began
  Gpu after;                              ///< and when it ended
  double duration_ns = 0;                 ///< from one to the other
  std::span<const std::int64_t> reasons;  ///< `clock_event_reasons` at moments between
};

/// Observes for which part of the time, in percent, something that is no good held the clocks down: the hardware
/// ("hardware_slowdown_percent"), heat ("hardware_thermal_…", "software_thermal_…") and the power supply
/// ("power_brake_…"); by the driver's own durations where it has them, else by the moments. Beside each
/// "…_over_limit_percent": by how much that is above `limit_percent`. And "power_cap_percent", which is as it should be
/// under load.
void observe_slowdowns(harness::Context& context, const WorkSeen& seen, double limit_percent);

/// "max_slowdown_percent": such a limit.
[[nodiscard]] harness::Parameter slowdown_parameter();

/// What makes each of those red.
[[nodiscard]] std::vector<harness::Fault> slowdown_faults();

}  // namespace gpucheck::cases::in_health
