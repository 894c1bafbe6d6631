#pragma once

#include <string_view>

#include "runtime/runtime.hpp"

namespace gpucheck::runtime {

/// Whether work given to the current stream is recorded. On the default stream the answer
/// is not a without any device call, hence without making a context. Thread-safe.
/// @throws DeviceError.
[[nodiscard]] bool is_current_stream_capturing(Runtime& runtime);

/// The capture that the current stream takes part in; likewise.
[[nodiscard]] device::CaptureInfo current_capture(Runtime& runtime);

/// A capture mode by PyTorch's name for it: "global", "thread_local", "relaxed".
/// @throws Error for any other.
[[nodiscard]] device::CaptureMode capture_mode(std::string_view name);

}  // namespace gpucheck::runtime
