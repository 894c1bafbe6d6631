#include "cases/health/support.hpp"

namespace gpucheck::cases::in_health::fabric {
namespace {

void run(harness::Context& context) {
  const Gpu gpu = context.telemetry().gpu();
  context.observe("state", required_number(gpu, Reading::fabric_state));
  context.observe("status", required_number(gpu, Reading::fabric_status));
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.fabric",
      .summary = "The fabric manager has connected the GPU to its NVLink fabric",
      .source = std::string(nvml_documentation),
      .faults = {{.name = "not_connected",
                  .summary = "the fabric manager has not finished, or does not run",
                  .telemetry = telemetry::always(Reading::fabric_state, std::int64_t{2})},
                 {.name = "failed",
                  .summary = "the GPU could not be connected",
                  .telemetry = telemetry::always(Reading::fabric_status, std::int64_t{999})}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::fabric
