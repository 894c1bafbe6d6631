#include <algorithm>
#include <array>
#include <string_view>

#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::pcie_link {
namespace {

/// What the link has to reach: what device and slot can do together, unless the parameter says otherwise.
std::int64_t expected(const harness::Context& context, const char* parameter, const Gpu& gpu, Reading most) {
  const auto given = context.parameter<std::int64_t>(parameter);
  return given >= 0 ? given : required_number(gpu, most);
}

/// GPUs that are joined with their processor on one package or chip, by NVLink-C2C: of a GB10 NVML gives a PCIe link of
/// generation 1 with one lane, which does not exist. Where it gives no memory of its own, the GPU uses its processor's.
bool is_on_package(const Gpu& gpu) {
  constexpr std::array models{std::string_view("GB10"),  std::string_view("GH200"), std::string_view("GB200"),
                              std::string_view("GB300"), std::string_view("Thor"),  std::string_view("Orin")};
  const std::string* const name = telemetry::text(gpu[Reading::name]);
  const std::string* const memory = telemetry::problem(gpu[Reading::memory_total]);
  const auto is_named = [name](std::string_view model) { return name->find(model) != std::string::npos; };
  return (memory != nullptr && *memory == telemetry::not_supported_text) ||
         (name != nullptr && std::ranges::any_of(models, is_named));
}

bool is_given(const harness::Context& context) {
  return context.parameter<std::int64_t>("expected_generation") >= 0 ||
         context.parameter<std::int64_t>("expected_width") >= 0;
}

/// The lowest value once the link has woken up: one that falls back under load is not good either.
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
  const bool falls_short = generation < generation_expected || width < width_expected;
  if (falls_short && is_on_package(gpu) && !is_given(context)) {
    throw harness::Skip(
        fmt::format("the GPU is on one package with its processor, without a PCIe link between them: what the driver "
                    "gives, generation {} with {} lanes, is not one",
                    generation, width));
  }
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
                      .summary = "Generation that the link must have; -1: the most that device and slot can",
                      .default_value = std::int64_t{-1},
                      .minimum = -1,
                      .maximum = 8},
                     {.name = "expected_width",
                      .summary = "Lanes that the link must have; -1: the most that device and slot can",
                      .default_value = std::int64_t{-1},
                      .minimum = -1,
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
