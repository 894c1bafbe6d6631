#include <fmt/format.h>

#include "cases/device/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_device::capability_default_argument {
namespace {

void run(harness::Context& context) {
  const device::DeviceProperties& own = context.device().properties();
  const runtime::ComputeCapability expected{own.compute_capability_major, own.compute_capability_minor};
  runtime::Devices devices(context.driver());
  runtime::ComputeCapability none;
  runtime::ComputeCapability number;
  runtime::ComputeCapability kind;
  context.observe("error", error_text<Error>([&] {
                    const runtime::CurrentDeviceGuard guard(context.device().ordinal());
                    none = devices.capability();
                    number = devices.capability(devices.current());
                    kind = devices.capability("cuda");
                  }));
  context.observe("given_for_nothing", none == expected);
  context.observe("given_for_number", number == expected);
  context.observe("given_for_kind", kind == expected);
  context.observe("text", fmt::format("{}.{}", none.major, none.minor));
}

}  // namespace

harness::Case define() {
  return {
      .name = "device.capability_default_argument",
      .summary = "A device's compute capability is that of the current one when no device, or only its kind, is given",
      .source = "test_cuda.py::TestCuda::test_cuda_get_device_capability",
      .faults = driver_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_device::capability_default_argument
