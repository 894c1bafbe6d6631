#include <algorithm>
#include <numeric>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::power {
namespace {

/// By how much of the default the limit was lowered.
double reduction_percent(std::int64_t limit, std::int64_t default_limit) {
  if (limit >= default_limit || default_limit <= 0) return 0;
  return 100.0 * static_cast<double>(default_limit - limit) / static_cast<double>(default_limit);
}

std::int64_t mean(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}) / static_cast<std::int64_t>(values.size());
}

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  const std::int64_t limit = required_number(gpu, Reading::power_limit);
  const std::int64_t default_limit = required_number(gpu, Reading::power_limit_default);
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  static_cast<void>(peak(looks, Reading::power_draw));  // which is there at all
  const std::vector<std::int64_t> draws = settled(looks, Reading::power_draw);
  const std::int64_t draw = draws.empty() ? peak(looks, Reading::power_draw) : mean(draws);
  const double reduced = reduction_percent(limit, default_limit);
  context.observe("limit_reduced_over_limit_percent",
                  harness::Value(std::max(reduced - context.parameter<double>("max_reduction_percent"), 0.0)));
  context.observe("draw_mw", draw);
  // The board follows its limit with a delay: the mean may be above it by a little.
  constexpr std::int64_t tolerance_percent = 10;
  context.observe("draw_over_limit_mw", over(limit + limit / 100 * tolerance_percent, draw));
  context.observe("limit_mw", limit);
  context.observe("default_limit_mw", default_limit);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.power",
      .summary = "The power limit is the board's own, and what is drawn is more than nothing and within the limit",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "max_reduction_percent",
                      .summary = "By how much the limit may be lower than the board's default: a power cap on purpose",
                      .default_value = 0.0,
                      .unit = "percent",
                      .minimum = 0,
                      .maximum = 100}},
      .faults = {{.name = "limit_lowered",
                  .summary = "the power limit is half of the board's",
                  .telemetry = telemetry::always(Reading::power_limit, std::int64_t{100'000})},
                 {.name = "sensor_broken",
                  .summary = "no power is drawn",
                  .telemetry = telemetry::always(Reading::power_draw, std::int64_t{0})},
                 {.name = "beyond_its_limit",
                  .summary = "twice as much is drawn as a board can",
                  .telemetry = telemetry::always(Reading::power_draw, std::int64_t{3'000'000})}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::power
