#include "cases/shared/slowdown_support.hpp"

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

/// By the driver's own duration; none where it does not offer one, or began to count anew.
/// @throws EnvironmentError where it failed to read it.
std::optional<double> percent_of_time(const Slowdown& slowdown, const WorkSeen& seen) {
  if (!slowdown.duration_ns) return {};
  for (const Gpu* gpu : {&seen.before, &seen.after}) static_cast<void>(is_offered(*gpu, *slowdown.duration_ns));
  const auto was = telemetry::number(seen.before[*slowdown.duration_ns]);
  const auto is = telemetry::number(seen.after[*slowdown.duration_ns]);
  if (!was || !is || *is < *was) return {};
  return 100.0 * static_cast<double>(*is - *was) / seen.duration_ns;
}

/// A bit that is set at more than half of the moments is evidence even where the duration stands still: a driver that
/// moves its counters rarely, or never, says so with the bit alone. Fewer moments are a transition that the duration
/// measures better.
double percent_of(const Slowdown& slowdown, const WorkSeen& seen) {
  constexpr double most = 50;
  const double of_moments = percent_of_moments(seen.reasons, slowdown.bit);
  const auto of_time = percent_of_time(slowdown, seen);
  if (!of_time) return of_moments;
  return of_moments > most ? std::max(of_moments, *of_time) : *of_time;
}

}  // namespace

std::vector<SlowdownShare> slowdown_shares(const WorkSeen& seen) {
  std::vector<SlowdownShare> shares;
  for (const Slowdown& slowdown : slowdowns)
    shares.push_back({.key = slowdown.key, .percent = percent_of(slowdown, seen)});
  return shares;
}

void observe_slowdowns(harness::Context& context, const WorkSeen& seen, double limit_percent) {
  for (const SlowdownShare& share : slowdown_shares(seen)) {
    context.observe(fmt::format("{}_percent", share.key), harness::Value(share.percent));
    context.observe(fmt::format("{}_over_limit_percent", share.key),
                    harness::Value(std::max(share.percent - limit_percent, 0.0)));
  }
  context.observe("power_cap_percent", harness::Value(percent_of(power_cap, seen)));
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
      {.name = "power_brake_with_a_counter_that_stands_still",
       .summary = "likewise, and the driver's count of durations does not move",
       .telemetry = telemetry::always(Reading::clock_event_reasons, telemetry::clock_event::hardware_power_brake)},
      {.name = "too_hot_without_counters",
       .summary = "likewise, of a driver that counts no durations",
       .telemetry = telemetry::not_supported(Reading::clock_event_thermal_hardware) +
                    telemetry::always(Reading::clock_event_reasons, telemetry::clock_event::hardware_thermal_slowdown)},
      {.name = "duration_fails",
       .summary = "the driver fails to say how long the power supply asked for lower clocks",
       .telemetry = telemetry::failing(Reading::clock_event_power_brake)},
  };
}

}  // namespace gpucheck::cases::in_health
