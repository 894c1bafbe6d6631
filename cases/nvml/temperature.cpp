#include "cases/telemetry_readings.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_nvml::temperature {
namespace {

using telemetry::Reading;

void run(harness::Context& context) {
  const telemetry::Gpu gpu = context.telemetry().gpu(0, telemetry::Subset::gauges);
  context.observe("temperature_celsius", required_number(gpu, Reading::temperature_gpu));
}

}  // namespace

harness::Case define() {
  return {
      .name = "nvml.temperature",
      .summary = "The driver reports a temperature of the GPU that one can have",
      .source = "test_cuda.py::TestCudaMallocAsync::test_temperature",
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "too_hot",
                  .summary = "the driver reports a temperature that no GPU survives",
                  .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{151})},
                 {.name = "below_zero",
                  .summary = "the driver reports a temperature below zero",
                  .telemetry = telemetry::always(Reading::temperature_gpu, std::int64_t{-1})},
                 {.name = "driver_fails",
                  .summary = "the driver fails to answer",
                  .telemetry = telemetry::failing(Reading::temperature_gpu)},
                 {.name = "driver_hangs",
                  .summary = "the driver never answers",
                  .telemetry = telemetry::hanging(Reading::temperature_gpu)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_nvml::temperature
