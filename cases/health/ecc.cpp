#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::ecc {
namespace {

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  const bool enabled = required_flag(gpu, Reading::ecc_enabled);
  if (!enabled && context.parameter<bool>("may_be_off"))
    throw harness::Skip("ECC is switched off, which may_be_off allows");
  const std::int64_t uncorrected = enabled ? required_number(gpu, Reading::ecc_volatile_uncorrected) : 0;
  context.observe("enabled", enabled);
  context.observe("change_pending", telemetry::flag(gpu[Reading::ecc_pending]).value_or(enabled) != enabled);
  context.observe("uncorrected_errors_over_limit",
                  over(context.parameter<std::int64_t>("max_uncorrected"), uncorrected));
  tell(context, "uncorrected_since_reset", gpu[Reading::ecc_volatile_uncorrected]);
  tell(context, "corrected_since_reset", gpu[Reading::ecc_volatile_corrected]);
  tell(context, "uncorrected_for_life", gpu[Reading::ecc_aggregate_uncorrected]);
  tell(context, "corrected_for_life", gpu[Reading::ecc_aggregate_corrected]);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.ecc",
      .summary = "ECC is on, and has found no error that it could not correct since the GPU was reset",
      .source = std::string(nvml_documentation),
      .parameters = {{.name = "max_uncorrected",
                      .summary = "Uncorrected errors since the reset that are accepted",
                      .default_value = std::int64_t{0},
                      .minimum = 0},
                     {.name = "may_be_off",
                      .summary = "Whether ECC that is switched off is accepted: nothing can be judged then",
                      .default_value = false}},
      .faults = {{.name = "uncorrected_error",
                  .summary = "an error of the memory could not be corrected",
                  .telemetry = telemetry::always(Reading::ecc_volatile_uncorrected, std::int64_t{1})},
                 {.name = "switched_off",
                  .summary = "ECC is switched off",
                  .telemetry = telemetry::always(Reading::ecc_enabled, false)},
                 {.name = "change_waits",
                  .summary = "ECC will be off after the next reset",
                  .telemetry = telemetry::always(Reading::ecc_pending, false)},
                 {.name = "gpu_lost",
                  .summary = "the driver fails to tell",
                  .telemetry = telemetry::failing(Reading::ecc_volatile_uncorrected)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::ecc
