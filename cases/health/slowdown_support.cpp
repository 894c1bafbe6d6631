#include "cases/health/slowdown_support.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>

namespace gpucheck::cases::in_health {
namespace {

/// A reason for lower clocks: how long the driver says that it held, or else at how many moments it was seen.
struct Slowdown {
  const char* key;
  std::int64_t bit;
  std::optional<Reading> duration_ns;
};

const std::initializer_list<Slowdown> slowdowns{
    {"hardware_slowdown", telemetry::clock_event::hardware_slowdown, {}},
    {"hardware_thermal", telemetry::clock_event::hardware_thermal_slowdown, Reading::clock_event_thermal_hardware},
    {"power_brake", telemetry::clock_event::hardware_power_brake, Reading::clock_event_power_brake},
    {"software_thermal", telemetry::clock_event::software_thermal_slowdown, Reading::clock_event_thermal_software},
};

constexpr Slowdown power_cap{"power_cap", telemetry::clock_event::software_power_cap, Reading::clock_event_power_cap};

double percent_of_moments(std::span<const std::int64_t> reasons, std::int64_t bit) {
  if (reasons.empty()) return 0;
  const auto count = std::ranges::count_if(reasons, [bit](std::int64_t bits) { return (bits & bit) != 0; });
  return 100.0 * static_cast<double>(count) / static_cast<double>(reasons.size());
}

double percent_of_time(const Slowdown& slowdown, const WorkSeen& seen) {
  if (slowdown.duration_ns) {
    const auto was = telemetry::number(seen.before[*slowdown.duration_ns]);
    const auto is = telemetry::number(seen.after[*slowdown.duration_ns]);
    if (was && is) return 100.0 * static_cast<double>(*is - *was) / seen.duration_ns;
  }
  return percent_of_moments(seen.reasons, slowdown.bit);
}

}  // namespace

void observe_slowdowns(harness::Context& context, const WorkSeen& seen, double limit_percent) {
  for (const Slowdown& slowdown : slowdowns) {
    const double percent = percent_of_time(slowdown, seen);
    context.observe(fmt::format("{}_percent", slowdown.key), harness::Value(percent));
    context.observe(fmt::format("{}_over_limit_percent", slowdown.key),
                    harness::Value(std::max(percent - limit_percent, 0.0)));
  }
  context.observe("power_cap_percent", harness::Value(percent_of_time(power_cap, seen)));
}

harness::Parameter slowdown_parameter() {
  return {.name = "max_slowdown_percent",
          .summary = "Part of the time in which each reason may hold the clocks down",
          .default_value = 1.0,
          .unit = "percent",
          .minimum = 0,
          .maximum = 100};
}

std::vector<harness::Fault> slowdown_faults() {
  return {
      {.name = "hardware_slowdown",
       .summary = "the hardware halves the clocks",
       .telemetry = telemetry::always(Reading::clock_event_reasons, telemetry::clock_event::hardware_slowdown)},
      {.name = "too_hot",
       .summary = "the hardware lowers the clocks because of heat, a second in each moment",
       .telemetry = telemetry::rising(Reading::clock_event_thermal_hardware, 1'000'000'000)},
      {.name = "power_brake",
       .summary = "the power supply asks for lower clocks",
       .telemetry = telemetry::rising(Reading::clock_event_power_brake, 1'000'000'000)},
      {.name = "warm",
       .summary = "the driver lowers the clocks because of heat",
       .telemetry = telemetry::rising(Reading::clock_event_thermal_software, 1'000'000'000)},
      {.name = "too_hot_without_counters",
       .summary = "likewise, of a driver that counts no durations",
       .telemetry = telemetry::not_supported(Reading::clock_event_thermal_hardware) +
                    telemetry::always(Reading::clock_event_reasons, telemetry::clock_event::hardware_thermal_slowdown)},
  };
}

}  // namespace gpucheck::cases::in_health
