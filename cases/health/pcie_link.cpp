#include <algorithm>

#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::pcie_link {
namespace {

/// What the link has to reach: what device and slot can do together, unless the parameter says otherwise.
std::int64_t expected(const harness::Context& context, const char* parameter, const Gpu& gpu, Reading most) {
  const auto given = context.parameter<std::int64_t>(parameter);
  return given > 0 ? given : required_number(gpu, most);
}

/// The lowest value once the link has woken up: one that falls back under load is no good either.
std::int64_t reached(const std::vector<Gpu>& looks, Reading gauge) {
  const std::vector<std::int64_t> values = settled(looks, gauge);
  return values.empty() ? required_number(looks.back(), gauge) : *std::ranges::min_element(values);
}

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  const std::int64_t generation_expected = expected(context, "expected_generation", gpu, Reading::pcie_generation_max);
  const std::int64_t width_expected = expected(context, "expected_width", gpu, Reading::pcie_width_max);
  const std::vector<Gpu> looks = gauges_under_load(context, window(context));
  const std::int64_t generation = reached(looks, Reading::pcie_generation);
  const std::int64_t width = reached(looks, Reading::pcie_width);
  context.observe("generations_missing", over(generation, generation_expected));
  context.observe("lanes_missing", over(width, width_expected));
  context.observe("generation", generation);
  context.observe("generation_expected", generation_expected);
  context.observe("width_lanes", width);
  context.observe("width_expected_lanes", width_expected);
  tell(context, "generation_of_device", gpu[Reading::pcie_generation_device_max]);
  context.observe("looks", looks.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.pcie_link",
      .summary = "Under load the PCIe link has the generation and width that device and slot can have together",
      .source = std::string(nvml_documentation),
      .parameters = {window_parameter(),
                     {.name = "expected_generation",
                      .summary = "Generation that the link must have; 0: the most that device and slot can",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 8},
                     {.name = "expected_width",
                      .summary = "Lanes that the link must have; 0: the most that device and slot can",
                      .default_value = std::int64_t{0},
                      .minimum = 0,
                      .maximum = 32}},
      .faults = {{.name = "half_width",
                  .summary = "half of the link's lanes are used",
                  .telemetry = telemetry::always(Reading::pcie_width, std::int64_t{8})},
                 {.name = "slow_generation",
                  .summary = "the link has come up two generations too slow",
                  .telemetry = telemetry::always(Reading::pcie_generation, std::int64_t{3})},
                 {.name = "falls_back",
                  .summary = "the link falls back to fewer lanes under load",
                  .telemetry = telemetry::becoming(Reading::pcie_width, std::int64_t{4})}},
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::pcie_link
