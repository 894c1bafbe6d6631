#include <algorithm>
#include <fmt/format.h>

#include "cases/device/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_device::uuid {
namespace {

void run(harness::Context& context) {
  runtime::Devices devices(context.driver());
  const int ordinal = context.device().ordinal();
  device::DeviceProperties properties;
  context.observe("error", error_text<Error>([&] { properties = devices.properties(ordinal); }));
  const std::string text = runtime::uuid_text(properties.uuid_bytes);
  context.observe("text", text);
  context.observe("bytes_not_zero", std::ranges::count_if(properties.uuid_bytes, [](auto byte) { return byte != 0; }));
  // A simulated device is known by words that no GPU's UUID has.
  if (context.driver().kind() == "cuda") {
    context.observe("is_the_identity", fmt::format("GPU-{}", text) == context.device().properties().uuid);
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "device.uuid",
      .summary = "A device has a UUID of 16 bytes, which its identity is made of",
      .source = "test_cuda.py::TestCuda::test_uuid",
      .faults = driver_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_device::uuid
