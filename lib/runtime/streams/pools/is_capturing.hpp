#pragma once

#include "device/device.hpp"

namespace gpucheck::runtime::detail {

/// Whether work given to `stream` is recorded. The default stream cannot be captured,
/// and asking about it would disturb a capture elsewhere. @throws DeviceError.
inline bool is_capturing(device::Device& device, device::Stream stream) {
  return stream != device.default_stream() && device.capture_info(stream).value().status != device::CaptureStatus::none;
}

}  // namespace gpucheck::runtime::detail
