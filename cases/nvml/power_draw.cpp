#include "cases/telemetry_readings.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_nvml::power_draw {
namespace {

using telemetry::Reading;

void run(harness::Context& context) {
  const telemetry::Gpu gpu = context.telemetry().gpu(0, telemetry::Subset::gauges);
  context.observe("power_draw_mw", required_number(gpu, Reading::power_draw));
}

}  // namespace

harness::Case define() {
  return {
      .name = "nvml.power_draw",
      .summary = "The driver reports what power the GPU draws",
      .source = "test_cuda.py::TestCudaMallocAsync::test_power_draw",
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "negative",
                  .summary = "the driver reports less than no power",
                  .telemetry = telemetry::always(Reading::power_draw, std::int64_t{-1})},
                 {.name = "driver_fails",
                  .summary = "the driver fails to answer",
                  .telemetry = telemetry::failing(Reading::power_draw)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_nvml::power_draw
