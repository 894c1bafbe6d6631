#include "cases/telemetry_readings.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_nvml::clock_rate {
namespace {

using telemetry::Reading;

void run(harness::Context& context) {
  const telemetry::Gpu gpu = context.telemetry().gpu(0, telemetry::Subset::gauges);
  context.observe("clock_sm_mhz", required_number(gpu, Reading::clock_sm));
}

}  // namespace

harness::Case define() {
  return {
      .name = "nvml.clock_rate",
      .summary = "The driver reports the clock of the multiprocessors",
      .source = "test_cuda.py::TestCudaMallocAsync::test_clock_speed",
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "negative",
                  .summary = "the driver reports a negative clock",
                  .telemetry = telemetry::always(Reading::clock_sm, std::int64_t{-1})},
                 {.name = "driver_fails",
                  .summary = "the driver fails to answer",
                  .telemetry = telemetry::failing(Reading::clock_sm)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_nvml::clock_rate
