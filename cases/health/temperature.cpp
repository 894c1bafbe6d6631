#include <optional>
#include <thread>

#include "cases/health/neighbours_support.hpp"
#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::temperature {
namespace {

using Texts = std::vector<std::string>;

/// A part of the GPU at its hottest, and how far from where it slows down; each only where it is known.
struct Heat {
  std::optional<std::int64_t> celsius;
  std::optional<std::int64_t> limit;
  std::optional<std::int64_t> margin;
};

std::optional<std::int64_t> highest(const std::vector<Gpu>& looks, Reading sensor) {
  std::optional<std::int64_t> most;
  for (const Gpu& gpu : looks) most = std::max(most, telemetry::number(gpu[sensor]));
  return most;
}

/// The parameter, or the device's own limit where it is 0.
std::optional<std::int64_t> limit_of(const harness::Context& context, const char* parameter, const Gpu& gpu,
                                     Reading own) {
  const auto given = context.parameter<std::int64_t>(parameter);
  return given > 0 ? std::optional(given) : telemetry::number(gpu[own]);
}

/// By its slowdown threshold. Newer models have none, and say instead how far they are from their highest operating
/// temperature (nvmlDeviceGetMarginTemperature), and at which such margin they slow down, which is below 0.
Heat heat_of_gpu(const harness::Context& context, const Gpu& gpu, const std::vector<Gpu>& looks) {
  Heat heat{.celsius = highest(looks, Reading::temperature_gpu),
            .limit = limit_of(context, "max_gpu_celsius", gpu, Reading::temperature_slowdown),
            .margin = {}};
  if (heat.limit) {
    if (heat.celsius) heat.margin = *heat.limit - *heat.celsius;
  } else if (const auto margin = telemetry::number(gpu[Reading::temperature_margin])) {
    heat.margin = *margin - telemetry::number(gpu[Reading::temperature_margin_slowdown]).value_or(0);
  }
  return heat;
}

Heat heat_of_memory(const harness::Context& context, const Gpu& gpu, const std::vector<Gpu>& looks) {
  Heat heat{.celsius = highest(looks, Reading::temperature_memory),
            .limit = limit_of(context, "max_memory_celsius", gpu, Reading::temperature_memory_max),
            .margin = {}};
  if (heat.limit && heat.celsius) heat.margin = *heat.limit - *heat.celsius;
  return heat;
}

std::string shown(const std::optional<std::int64_t>& celsius) { return celsius ? fmt::to_string(*celsius) : "unknown"; }

std::string too_hot(const char* what, const Heat& heat) {
  return fmt::format("{}: {} degrees, limit {}, margin {}", what, shown(heat.celsius), shown(heat.limit),
                     shown(heat.margin));
}

/// A running GPU is not below freezing, and burns above 150 degrees.
void add_implausible(Texts& sensors, const char* what, const Heat& heat) {
  const bool is_possible = !heat.celsius || (*heat.celsius >= 0 && *heat.celsius <= 150);
  if (!is_possible) sensors.push_back(fmt::format("{}: {} degrees", what, *heat.celsius));
}

void tell(harness::Context& context, const std::string& key, const std::optional<std::int64_t>& celsius) {
  if (celsius) return context.observe(key, *celsius);
  context.observe(key, "unknown");
}

/// Neighbours that have nothing else to do and are much cooler, unless the GPU is only cooling down after work. Without
/// a neighbour that says all that is compared there is no answer.
void observe_neighbours(harness::Context& context) {
  harness::GpuWatch& watch = context.telemetry();
  const auto excess_now = [&watch] { return degrees_above_neighbours(watch.machine(), watch.gpu()); };
  const std::int64_t limit = context.parameter<std::int64_t>("max_above_neighbours");
  auto excess = excess_now();
  const bool is_compared = excess.has_value();
  if (excess && *excess > limit) {
    std::this_thread::sleep_for(10 * window(context));
    const auto later = excess_now();
    const bool cools_down = !later || *later + 2 <= *excess;
    excess = cools_down ? std::nullopt : later;
  }
  Texts found;
  if (excess && *excess > limit)
    found.push_back(fmt::format("{} degrees hotter than the others, limit {}", *excess, limit));
  observe_known(context, "hotter_than_neighbours", is_compared ? std::optional(found) : std::nullopt);
  tell(context, "degrees_above_neighbours", excess);
}

/// @throws EnvironmentError where the driver failed to read a sensor or its limit.
void require_no_failure(const Gpu& gpu, const std::vector<Gpu>& looks) {
  for (const Reading limit : {Reading::temperature_slowdown, Reading::temperature_memory_max,
                              Reading::temperature_margin, Reading::temperature_margin_slowdown}) {
    static_cast<void>(is_offered(gpu, limit));
  }
  for (const Gpu& look : looks) {
    for (const Reading sensor : {Reading::temperature_gpu, Reading::temperature_memory})
      static_cast<void>(is_offered(look, sensor));
  }
}

void run(harness::Context& context) {
  observe_neighbours(context);
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const Gpu gpu = context.telemetry().gpu();
  const Heat core = heat_of_gpu(context, gpu, looks);
  const Heat memory = heat_of_memory(context, gpu, looks);
  Texts hot;
  // At its threshold a GPU halves its clocks already; memory may be at its limit.
  if (core.margin && *core.margin < 1) hot.push_back(too_hot("GPU", core));
  if (memory.margin && *memory.margin < 0) hot.push_back(too_hot("memory", memory));
  Texts implausible;
  add_implausible(implausible, "GPU", core);
  add_implausible(implausible, "memory", memory);
  // What is wrong is said in any case; that nothing is wrong takes every answer, and the GPU's own margin.
  if (hot.empty() && implausible.empty()) require_no_failure(gpu, looks);
  if (!core.margin && hot.empty() && implausible.empty()) {
    static_cast<void>(peak(looks, Reading::temperature_gpu));
    require_any(gpu, {Reading::temperature_slowdown, Reading::temperature_margin});
  }
  context.observe("too_hot", hot);
  context.observe("implausible_sensors", implausible);
  tell(context, "gpu_celsius", core.celsius);
  tell(context, "gpu_limit_celsius", core.limit);
  tell(context, "gpu_margin_celsius", core.margin);
  tell(context, "memory_celsius", memory.celsius);
  tell(context, "memory_limit_celsius", memory.limit);
  context.observe("looks", looks.size());
}

std::vector<harness::Parameter> parameters() {
  const auto degrees = [](const char* name, const char* summary, std::int64_t default_value) {
    return harness::Parameter{.name = name,
                              .summary = summary,
                              .default_value = default_value,
                              .unit = "celsius",
                              .minimum = 0,
                              .maximum = 150};
  };
  return {
      window_parameter(),
      degrees("max_gpu_celsius",
              "The GPU has to stay below this; 0: the device's own slowdown threshold, or its thermal margin", 0),
      degrees("max_memory_celsius", "The memory has to stay at most at this; 0: the device's own limit", 0),
      degrees("max_above_neighbours",
              "How much hotter the GPU may be than the others of its model at the same load, before it is warned of",
              20)};
}

std::vector<harness::Fault> faults() {
  const auto hot_beside = [](std::int64_t celsius) {
    return telemetry::always(Aspect::neighbour, {}) + telemetry::always(Reading::temperature_gpu, celsius);
  };
  return {{.name = "gpu_too_hot",
           .summary = "the GPU reaches its slowdown threshold",
           .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{97})},
          {.name = "memory_too_hot",
           .summary = "the memory is hotter than its limit",
           .telemetry = telemetry::always(Reading::temperature_memory, std::int64_t{120})},
          {.name = "no_margin_left",
           .summary = "a GPU without a slowdown threshold has no thermal margin left",
           .telemetry = telemetry::not_supported(Reading::temperature_slowdown) +
                        telemetry::always(Reading::temperature_margin, std::int64_t{-5})},
          {.name = "sensor_broken",
           .summary = "the sensor shows what no running GPU has",
           .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{-60})},
          {.name = "load_fails",
           .summary = "the driver fails to say how busy the GPU is, which is compared with its neighbours",
           .telemetry = telemetry::always(Aspect::neighbour, {}) + telemetry::failing(Reading::utilization_gpu)},
          {.name = "hotter_than_its_neighbour",
           .summary = "the GPU is much hotter than another one beside it that does the same",
           .telemetry = hot_beside(80)}};
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.temperature",
      .summary =
          "The GPU and its memory stay below the temperatures at which they slow down, and near their neighbours'",
      .source = std::string(nvml_documentation),
      .parameters = parameters(),
      .faults = faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::temperature
