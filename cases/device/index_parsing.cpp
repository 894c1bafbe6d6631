#include <fmt/format.h>

#include "cases/device/support.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_device::index_parsing {
namespace {

using runtime::DeviceArgument;

constexpr runtime::IndexRule optional{.optional = true};

void run(harness::Context& context) {
  const int ordinal = context.device().ordinal();
  runtime::Devices devices(context.driver());
  const auto error_of = [&devices](const DeviceArgument& argument, runtime::IndexRule rule) {
    return error_text<Error>([&] { static_cast<void>(devices.index_of(argument, rule)); });
  };
  context.observe("cuda0_error", error_of("cuda0", {}));
  context.observe("leading_zero_error", error_of("cuda:01", {}));
  context.observe("empty_error", error_of("", {}));
  context.observe("cpu_error", error_of("cpu", optional));
  context.observe("no_number_error", error_of("cuda", {}));
  context.observe("cuda_12", devices.index_of("cuda:12"));
  int current = -1;
  std::string named_by_text;
  context.observe("current_error", error_text<Error>([&] {
                    const runtime::CurrentDeviceGuard guard(ordinal);
                    current = devices.index_of("cuda", optional);
                    named_by_text = devices.name(fmt::format("cuda:{}", ordinal));
                  }));
  context.observe("current_is_meant", current == ordinal);
  context.observe("text_means_device", named_by_text == context.device().properties().name);
}

}  // namespace

harness::Case define() {
  return {
      .name = "device.index_parsing",
      .summary = "A device's number comes from its name, and from the current device where none is given",
      .source = "test_cuda.py::TestCuda::test_get_device_index",
      .faults = driver_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_device::index_parsing
