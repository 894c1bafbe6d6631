#include <algorithm>

#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::clocks {
namespace {

using Clock = std::chrono::steady_clock;

/// A reason for lower clocks: how long the driver says that it held, or else in how many looks it was seen.
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

/// Percent of the looks in which the reason was given.
double percent_of_looks(const std::vector<Gpu>& looks, std::int64_t bit) {
  std::size_t known = 0;
  std::size_t seen = 0;
  for (const Gpu& gpu : looks) {
    const auto reasons = telemetry::number(gpu[Reading::clock_event_reasons]);
    if (!reasons) continue;
    ++known;
    if ((*reasons & bit) != 0) ++seen;
  }
  return known == 0 ? 0 : 100.0 * static_cast<double>(seen) / static_cast<double>(known);
}

double percent_of_time(const Slowdown& slowdown, const Gpu& before, const Gpu& after, double window_ns,
                       const std::vector<Gpu>& looks) {
  if (slowdown.duration_ns) {
    const auto was = telemetry::number(before[*slowdown.duration_ns]);
    const auto is = telemetry::number(after[*slowdown.duration_ns]);
    if (was && is) return 100.0 * static_cast<double>(*is - *was) / window_ns;
  }
  return percent_of_looks(looks, slowdown.bit);
}

void run(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const double limit = context.parameter<double>("max_slowdown_percent");
  const Gpu before = watch.gpu(0, telemetry::Subset::counters);
  const Clock::time_point start = Clock::now();
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const Gpu after = watch.gpu(0, telemetry::Subset::counters);
  const double window_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  require_any(after, {Reading::clock_event_reasons, Reading::clock_event_thermal_hardware});
  for (const Slowdown& slowdown : slowdowns) {
    const double percent = percent_of_time(slowdown, before, after, window_ns, looks);
    context.observe(fmt::format("{}_percent", slowdown.key), harness::Value(percent));
    context.observe(fmt::format("{}_over_limit_percent", slowdown.key), harness::Value(std::max(percent - limit, 0.0)));
  }
  context.observe("power_cap_percent",
                  harness::Value(percent_of_looks(looks, telemetry::clock_event::software_power_cap)));
  tell(context, "clock_sm_mhz", after[Reading::clock_sm]);
  tell(context, "clock_memory_mhz", after[Reading::clock_memory]);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.clocks",
      .summary = "Neither heat nor the power supply holds the clocks down for a noticeable part of the time",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "max_slowdown_percent",
                      .summary = "Part of the time in which each reason may hold the clocks down",
                      .default_value = 1.0,
                      .unit = "percent",
                      .minimum = 0,
                      .maximum = 100}},
      .faults = {{.name = "hardware_slowdown",
                  .summary = "the hardware halves the clocks",
                  .telemetry =
                      telemetry::always(Reading::clock_event_reasons, telemetry::clock_event::hardware_slowdown)},
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
                               telemetry::always(Reading::clock_event_reasons,
                                                 telemetry::clock_event::hardware_thermal_slowdown)}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::clocks
