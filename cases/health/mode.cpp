#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::mode {
namespace {

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  context.observe("compute_mode", required_number(gpu, Reading::compute_mode));
  context.observe("mig_change_pending", telemetry::flag(gpu[Reading::mig_pending]).value_or(false) !=
                                            telemetry::flag(gpu[Reading::mig_enabled]).value_or(false));
  tell(context, "mig_enabled", gpu[Reading::mig_enabled]);
  tell(context, "persistence_mode", gpu[Reading::persistence_mode]);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.mode",
      .summary = "Programs may compute on the GPU, and no change of its MIG mode waits for a reset",
      .source = std::string(nvml_documentation),
      .faults = {{.name = "prohibited",
                  .summary = "the GPU is closed to programs",
                  .telemetry = telemetry::always(Reading::compute_mode, std::int64_t{2})},
                 {.name = "mig_waits",
                  .summary = "the GPU is to be cut into instances at the next reset",
                  .telemetry =
                      telemetry::always(Reading::mig_enabled, false) + telemetry::always(Reading::mig_pending, true)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::mode
