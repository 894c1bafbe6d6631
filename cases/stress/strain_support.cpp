#include "cases/stress/strain_support.hpp"

#include <algorithm>
#include <optional>

#include "cases/shared/slowdown_support.hpp"

namespace gpucheck::cases::in_stress {
namespace {

using telemetry::Gpu;
using telemetry::Reading;

/// The share of its power limit or its highest clock that a loaded GPU reaches: a GPU that is held at the limit stays a
/// few percent below it.
constexpr double reached_percent = 90;

std::optional<double> percent_of(std::optional<double> value, const Gpu& gpu, Reading whole) {
  const auto limit = telemetry::number(gpu[whole]);
  if (!value || !limit || *limit <= 0) return {};
  return 100 * *value / static_cast<double>(*limit);
}

void tell(harness::Context& context, const std::string& key, const std::optional<double>& value) {
  if (value) return context.observe(key, harness::Value(*value));
  context.observe(key, "unknown");
}

/// One gauge in the samples taken ten times a second, and in the look.
struct Gauge {
  std::optional<std::int64_t> max;
  std::optional<double> mean;

  Gauge(const telemetry::Series& series, const Gpu& look, Reading reading) {
    max = telemetry::number(look[reading]);
    if (max) mean = static_cast<double>(*max);
    const auto range = series.range(reading);
    if (!range) return;
    max = std::max(range->max, max.value_or(range->max));
    mean = range->mean;
  }
};

std::vector<std::int64_t> reasons_of(const telemetry::Series& series, const Gpu& look) {
  std::vector<std::int64_t> reasons;
  if (const auto bits = telemetry::number(look[Reading::clock_event_reasons])) reasons.push_back(*bits);
  for (const telemetry::Sample& sample : series.samples()) {
    if (const auto bits = sample[Reading::clock_event_reasons]) reasons.push_back(*bits);
  }
  return reasons;
}

}  // namespace

Strain::Strain(harness::Context& context)
    : watch_(context.telemetry()), state_(watch_.gpu()), start_(std::chrono::steady_clock::now()) {
  require_any(state_, {Reading::power_draw, Reading::clock_sm});
}

void Strain::look() {
  gauges_ = watch_.gpu(0, telemetry::Subset::gauges);
  counters_ = watch_.gpu(0, telemetry::Subset::counters);
  duration_ns_ = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start_).count();
}

void Strain::observe(harness::Context& context) const {
  const telemetry::Series series = watch_.series();
  const Gauge power(series, gauges_, Reading::power_draw);
  const Gauge clock(series, gauges_, Reading::clock_sm);
  const Gauge temperature(series, gauges_, Reading::temperature_gpu);
  const auto power_percent = percent_of(power.max, state_, Reading::power_limit);
  const auto clock_percent = percent_of(clock.mean, state_, Reading::clock_max_sm);
  context.observe("load_reached", harness::Value(power_percent.value_or(0) >= reached_percent ||
                                                 clock_percent.value_or(0) >= reached_percent));
  tell(context, "peak_power_percent", power_percent);
  tell(context, "mean_clock_percent", clock_percent);
  const auto limit = telemetry::number(state_[Reading::temperature_slowdown]);
  const bool is_known = limit && temperature.max;
  context.observe("temperature_over_limit_celsius", is_known ? in_health::over(*limit, *temperature.max) : 0);
  tell(context, "peak_temperature_celsius", temperature.max);
  const std::vector<std::int64_t> reasons = reasons_of(series, gauges_);
  in_health::observe_slowdowns(context,
                               {.before = state_, .after = counters_, .duration_ns = duration_ns_, .reasons = reasons},
                               context.parameter<double>("max_slowdown_percent"));
}

std::vector<harness::Fault> strain_faults() {
  std::vector<harness::Fault> faults = in_health::slowdown_faults();
  faults.push_back({.name = "stays_in_a_low_state",
                    .summary = "clocks and power stay at a third of what they could be",
                    .telemetry = telemetry::always(Reading::clock_sm, std::int64_t{345}) +
                                 telemetry::always(Reading::power_draw, std::int64_t{100'000})});
  faults.push_back({.name = "overheats",
                    .summary = "the GPU is above its slowdown threshold",
                    .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{120})});
  return faults;
}

}  // namespace gpucheck::cases::in_stress
