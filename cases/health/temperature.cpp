#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::temperature {
namespace {

/// The parameter, or the device's own limit where it is 0.
std::int64_t limit_of(const harness::Context& context, const char* parameter, const Gpu& gpu, Reading own) {
  const auto given = context.parameter<std::int64_t>(parameter);
  return given > 0 ? given : required_number(gpu, own);
}

/// The memory's margin, where the device has both a sensor and a limit.
void observe_memory(harness::Context& context, const Gpu& gpu, const std::vector<Gpu>& looks) {
  const Reading sensor = Reading::temperature_memory;
  tell(context, "memory_celsius", looks.back()[sensor]);
  tell(context, "memory_limit_celsius", gpu[Reading::temperature_memory_max]);
  const bool is_known =
      telemetry::number(looks.back()[sensor]) && (telemetry::number(gpu[Reading::temperature_memory_max]) ||
                                                  context.parameter<std::int64_t>("max_memory_celsius") > 0);
  const std::int64_t limit =
      is_known ? limit_of(context, "max_memory_celsius", gpu, Reading::temperature_memory_max) : 0;
  context.observe("memory_over_limit_celsius", is_known ? over(limit, peak(looks, sensor)) : 0);
}

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  const std::int64_t limit = limit_of(context, "max_gpu_celsius", gpu, Reading::temperature_slowdown);
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const std::int64_t hottest = peak(looks, Reading::temperature_gpu);
  context.observe("gpu_margin_celsius", limit - hottest);
  context.observe("gpu_celsius", hottest);
  context.observe("gpu_limit_celsius", limit);
  observe_memory(context, gpu, looks);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.temperature",
      .summary = "The GPU and its memory stay below the temperatures at which they slow themselves down",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "max_gpu_celsius",
                      .summary = "The GPU has to stay below this; 0: the device's own slowdown threshold",
                      .default_value = std::int64_t{0},
                      .unit = "celsius",
                      .minimum = 0,
                      .maximum = 150},
                     {.name = "max_memory_celsius",
                      .summary = "The memory has to stay at most at this; 0: the device's own limit",
                      .default_value = std::int64_t{0},
                      .unit = "celsius",
                      .minimum = 0,
                      .maximum = 150}},
      .faults = {{.name = "gpu_too_hot",
                  .summary = "the GPU reaches its slowdown threshold",
                  .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{97})},
                 {.name = "memory_too_hot",
                  .summary = "the memory is hotter than its limit",
                  .telemetry = telemetry::always(Reading::temperature_memory, std::int64_t{120})},
                 {.name = "sensor_broken",
                  .summary = "the sensor shows what no running GPU has",
                  .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{-60})}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::temperature
