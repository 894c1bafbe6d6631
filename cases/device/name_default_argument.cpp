#include "cases/device/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_device::name_default_argument {
namespace {

void run(harness::Context& context) {
  const device::DeviceProperties& own = context.device().properties();
  runtime::Devices devices(context.driver());
  std::string none;
  std::string number;
  std::string kind;
  context.observe("error", error_text<Error>([&] {
                    const runtime::CurrentDeviceGuard guard(context.device().ordinal());
                    none = devices.name();
                    number = devices.name(devices.current());
                    kind = devices.name("cuda");
                  }));
  context.observe("device_named_by_nothing", none == own.name && !own.name.empty());
  context.observe("device_named_by_number", number == own.name && !own.name.empty());
  context.observe("device_named_by_kind", kind == own.name && !own.name.empty());
}

}  // namespace

harness::Case define() {
  return {
      .name = "device.name_default_argument",
      .summary = "A device's name is that of the current one when no device, or only its kind, is given",
      .source = "test_cuda.py::TestCuda::test_cuda_get_device_name",
      .faults = driver_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_device::name_default_argument
