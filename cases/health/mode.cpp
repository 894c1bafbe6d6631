#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::mode {
namespace {

std::optional<std::vector<std::string>> not_as_recommended(const Gpu& gpu) {
  if (!is_offered(gpu, Reading::persistence_mode)) return {};
  if (required_flag(gpu, Reading::persistence_mode)) return std::vector<std::string>{};
  return std::vector<std::string>{"persistence mode is off"};
}

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  context.observe("compute_mode", required_number(gpu, Reading::compute_mode));
  if (is_offered(gpu, Reading::mig_enabled) && is_offered(gpu, Reading::mig_pending)) {
    context.observe("mig_change_pending",
                    required_flag(gpu, Reading::mig_pending) != required_flag(gpu, Reading::mig_enabled));
  } else {
    observe_not_available(context, "mig_change_pending");
  }
  observe_known(context, "not_as_recommended", not_as_recommended(gpu));
  tell(context, "mig_enabled", gpu[Reading::mig_enabled]);
  tell(context, "persistence_mode", gpu[Reading::persistence_mode]);
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.mode",
      .summary =
          "Programs may compute on the GPU, no change of its MIG mode waits for a reset, and the driver stays loaded",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "prohibited",
                  .summary = "the GPU is closed to programs",
                  .telemetry = telemetry::always(Reading::compute_mode, std::int64_t{2})},
                 {.name = "mig_waits",
                  .summary = "the GPU is to be cut into instances at the next reset",
                  .telemetry =
                      telemetry::always(Reading::mig_enabled, false) + telemetry::always(Reading::mig_pending, true)},
                 {.name = "persistence_off",
                  .summary = "the driver is not kept loaded",
                  .telemetry = telemetry::always(Reading::persistence_mode, false)},
                 {.name = "present_mig_mode_fails",
                  .summary = "the driver fails to say whether MIG is on",
                  .telemetry = telemetry::failing(Reading::mig_enabled)},
                 {.name = "mig_mode_fails",
                  .summary = "the driver fails to say whether a change of the MIG mode waits",
                  .telemetry = telemetry::failing(Reading::mig_pending)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::mode
