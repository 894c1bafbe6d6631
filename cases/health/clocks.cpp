#include <algorithm>
#include <optional>
#include <utility>

#include "cases/shared/slowdown_support.hpp"

namespace gpucheck::cases::in_health::clocks {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::int64_t> reasons_of(const std::vector<Gpu>& looks) {
  std::vector<std::int64_t> reasons;
  for (const Gpu& gpu : looks) {
    if (is_offered(gpu, Reading::clock_event_reasons))
      reasons.push_back(required_number(gpu, Reading::clock_event_reasons));
  }
  return reasons;
}

/// Without the reasons the durations alone are evidence, and then each of them has to be there.
/// @throws as `required_number`.
void require_durations(const Gpu& last_look, const Gpu& after) {
  if (telemetry::is_failure(last_look[Reading::clock_event_reasons]))
    static_cast<void>(required_number(last_look, Reading::clock_event_reasons));
  for (const Reading duration : {Reading::clock_event_thermal_hardware, Reading::clock_event_power_brake,
                                 Reading::clock_event_thermal_software}) {
    static_cast<void>(required_number(after, duration));
  }
}

/// @throws EnvironmentError where the driver failed to say it.
std::optional<std::int64_t> offered_number(const Gpu& gpu, Reading gauge) {
  if (!is_offered(gpu, gauge)) return std::nullopt;
  return telemetry::number(gpu[gauge]);
}

/// @throws EnvironmentError where the driver failed to say it at any look.
std::optional<std::int64_t> highest(const std::vector<Gpu>& looks, Reading gauge) {
  std::optional<std::int64_t> most;
  for (const Gpu& gpu : looks) most = std::max(most, offered_number(gpu, gauge));
  return most;
}

/// The settings that the driver names at more than half of the looks, while the clock stays below its maximum. A GPU
/// that idles gives another reason. None where the driver gives no reasons.
std::optional<std::vector<std::string>> settings_that_hold(const std::vector<Gpu>& looks,
                                                           const std::vector<std::int64_t>& reasons, const Gpu& gpu) {
  const auto clock = highest(looks, Reading::clock_sm);
  const auto maximum = offered_number(gpu, Reading::clock_max_sm);
  if (reasons.empty()) return {};
  if (clock && maximum && *clock >= *maximum) return std::vector<std::string>{};
  std::vector<std::string> settings;
  for (const auto& [bit, name] : {std::pair{telemetry::clock_event::applications_clocks_setting, "applications clocks"},
                                  std::pair{telemetry::clock_event::display_clock_setting, "display clocks"}}) {
    const auto times = std::ranges::count_if(reasons, [bit = bit](std::int64_t bits) { return (bits & bit) != 0; });
    if (2 * times <= std::ssize(reasons)) continue;
    const auto shown = [](const auto& value) { return value ? fmt::to_string(*value) : "?"; };
    settings.push_back(fmt::format("{}: at most {} of {} MHz", name, shown(clock), shown(maximum)));
  }
  return settings;
}

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const Gpu before = watch.gpu(0, telemetry::Subset::counters);
  const Clock::time_point start = Clock::now();
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const Gpu after = watch.gpu(0, telemetry::Subset::counters);
  const double duration_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  const std::vector<std::int64_t> reasons = reasons_of(looks);
  if (reasons.empty()) require_durations(looks.back(), after);
  observe_slowdowns(context, {.before = before, .after = after, .duration_ns = duration_ns, .reasons = reasons},
                    context.parameter<double>("max_slowdown_percent"));
  observe_known(context, "settings_that_hold_the_clocks", settings_that_hold(looks, reasons, watch.gpu()));
  tell(context, "clock_sm_mhz", looks.back()[Reading::clock_sm]);
  tell(context, "clock_memory_mhz", looks.back()[Reading::clock_memory]);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  std::vector<harness::Fault> faults = slowdown_faults();
  faults.push_back({.name = "clock_fails",
                    .summary = "the driver fails to say how high the clock is",
                    .telemetry = telemetry::failing(Reading::clock_sm)});
  faults.push_back({.name = "held_by_a_setting",
                    .summary = "somebody has set the clocks to a third of what they can be",
                    .telemetry = telemetry::always(Reading::clock_event_reasons,
                                                   telemetry::clock_event::applications_clocks_setting) +
                                 telemetry::always(Reading::clock_sm, std::int64_t{345})});
  return {
      .name = "health.clocks",
      .summary =
          "Neither heat nor the power supply holds the clocks down for a noticeable part of the time, and no setting "
          "does",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(), slowdown_parameter()},
      .faults = std::move(faults),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::clocks
