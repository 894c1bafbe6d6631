#include "cases/telemetry_readings.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_nvml::handle {
namespace {

using telemetry::Reading;

// The device is looked up among the driver's by its UUID and PCI address: their order is not CUDA's.
void run(harness::Context& context) {
  const telemetry::Machine machine = context.telemetry().machine();
  const telemetry::Gpu* const gpu = telemetry::find_gpu(machine, context.telemetry().gpus().front());
  const bool has_handle = gpu != nullptr && telemetry::flag((*gpu)[Reading::handle]) == true;
  context.observe("handle_is_null", !has_handle);
}

}  // namespace

harness::Case define() {
  return {
      .name = "nvml.handle",
      .summary = "The driver's library gives a handle for the device",
      .source = "test_cuda.py::TestCudaMallocAsync::test_nvml_get_handler",
      .needs = {.libraries = {std::string(harness::management_library)}},
      .faults = {{.name = "gpu_lost",
                  .summary = "the driver's library lists the GPU no more",
                  .telemetry = telemetry::always(telemetry::Aspect::gpu, {})},
                 {.name = "no_handle",
                  .summary = "the driver fails to give a handle",
                  .telemetry = telemetry::failing(Reading::handle)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_nvml::handle
