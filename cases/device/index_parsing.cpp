#include <fmt/format.h>

#include "cases/device/support.hpp"
#include "cases/thrown.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_device::index_parsing {
namespace {

using runtime::DeviceArgument;

constexpr runtime::IndexRule optional{.optional = true};

void run(harness::Context& context) {
  const int ordinal = context.device().ordinal();
  runtime::Devices devices(context.driver());
  const auto observe_error = [&](const std::string& name, const DeviceArgument& argument, runtime::IndexRule rule) {
    const Thrown thrown = thrown_by([&] { static_cast<void>(devices.index_of(argument, rule)); });
    context.observe(name + "_error_type", harness::Value(thrown.type));
    context.observe(name + "_error", harness::Value(thrown.text));
  };
  observe_error("cuda0", "cuda0", {});
  observe_error("cuda0_optional", "cuda0", optional);
  observe_error("leading_zero", "cuda:01", {});
  observe_error("empty", "", {});
  observe_error("cpu", "cpu", optional);
  observe_error("no_number", "cuda", {});
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
