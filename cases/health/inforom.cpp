#include "cases/shared/health_support.hpp"

namespace gpucheck::cases::in_health::inforom {
namespace {

void run(harness::Context& context) {
  context.observe("valid", required_flag(context.telemetry().gpu(), Reading::inforom_valid));
}

}  // namespace

harness::Case define() {
  return {
      .name = "health.inforom",
      .summary = "The checksums of the GPU's infoROM, which holds its settings and its record of errors, are right",
      .source = std::string(nvml_documentation),
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "corrupted",
                  .summary = "the infoROM is corrupt",
                  .telemetry = telemetry::always(Reading::inforom_valid, false)},
                 {.name = "gpu_lost",
                  .summary = "the driver fails to answer",
                  .telemetry = telemetry::failing(Reading::inforom_valid)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_health::inforom
