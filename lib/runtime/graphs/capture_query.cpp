#include "runtime/graphs/capture_query.hpp"

#include <fmt/format.h>

#include "device/check.hpp"

namespace gpucheck::runtime {

bool is_current_stream_capturing(Runtime& runtime) {
  return current_capture(runtime).status != device::CaptureStatus::none;
}

device::CaptureInfo current_capture(Runtime& runtime) {
  device::Device& device = runtime.device();
  const device::Stream stream = runtime.current_stream();
  // It cannot be captured, and asking about it would disturb a capture elsewhere.
  if (stream == device.default_stream()) return {};
  return device::check_and_clear(device, device.capture_info(stream), "capture_info");
}

device::CaptureMode capture_mode(std::string_view name) {
  if (name == "global") return device::CaptureMode::global;
  if (name == "thread_local") return device::CaptureMode::thread_local_;
  if (name == "relaxed") return device::CaptureMode::relaxed;
  throw Error(fmt::format("Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {}", name));
}

}  // namespace gpucheck::runtime
