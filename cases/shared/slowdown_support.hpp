#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health {

/// Some time in which a GPU worked.
struct WorkSeen {
  Gpu before;                             ///< its counters when that began
  Gpu after;                              ///< and when it ended
  double duration_ns = 0;                 ///< from one to the other
  std::span<const std::int64_t> reasons;  ///< `clock_event_reasons` at moments between
};

/// For which part of the time something that is not good held the clocks down.
struct SlowdownShare {
  std::string_view key;  ///< "hardware_slowdown", "hardware_thermal", "power_brake", "software_thermal"
  double percent = 0;
};
/// The driver's own durations and the moments are evidence each: the larger share counts, that of moments only where
/// the driver has no duration or where most of them show the reason. @throws EnvironmentError where the driver failed
/// to read a duration.
[[nodiscard]] std::vector<SlowdownShare> slowdown_shares(const WorkSeen& seen);

/// Observes these as "…_percent", and as "…_over_limit_percent" by how much each is above `limit_percent`. And
/// "power_cap_percent", which is as it should be under load.
void observe_slowdowns(harness::Context& context, const WorkSeen& seen, double limit_percent);

/// "max_slowdown_percent": such a limit.
[[nodiscard]] harness::Parameter slowdown_parameter();

/// What makes each of those red.
[[nodiscard]] std::vector<harness::Fault> slowdown_faults();

}  // namespace gpucheck::cases::in_health
