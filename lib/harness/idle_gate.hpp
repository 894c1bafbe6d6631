#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/context.hpp"

namespace gpucheck::harness {

/// When a GPU counts as idle, and how long that is waited for.
struct IdleLimits {
  std::chrono::milliseconds patience{5000};
  std::int64_t utilization_percent = 0;  ///< of the multiprocessors, as the driver tells it: over up to a second past
};

/// What a GPU was found like before something is measured on it.
struct IdleReport {
  bool is_idle = false;
  double waited_ms = 0;
  std::optional<std::int64_t> utilization_percent;
  std::optional<std::int64_t> temperature_celsius;
  std::optional<std::int64_t> clock_sm_mhz;
  std::optional<std::int64_t> other_processes;  ///< that compute on the GPU and are not this one
  std::string reason;                           ///< why it is not idle, or not known to be; empty where it is
};

/// Waits until nothing runs on one of the case's GPUs, and neither heat nor power holds its clocks down; gives up in
/// time. Work of the case's own has to be done: it counts. Throws nothing where the driver does not tell: the report
/// says so. For cases that measure speed and have the device to themselves.
[[nodiscard]] IdleReport wait_until_idle(Context& context, const IdleLimits& limits = {}, std::size_t index = 0);

/// Records the report as observations, which a golden file tells and does not judge: `idle`, `idle_waited_ms`,
/// `idle_utilization_percent`, `idle_temperature_celsius`, `idle_clock_sm_mhz`, `idle_other_processes` (of the last
/// four "unknown" where the driver does not tell) and `idle_reason`.
void observe(Context& context, const IdleReport& report);

}  // namespace gpucheck::harness
