#pragma once

#include "device/device.hpp"

namespace gpucheck::runtime::detail {

/// Lets the calling thread do during a capture what the capture would refuse.
/// @throws DeviceError at construction.
class RelaxedCaptureMode {
 public:
  explicit RelaxedCaptureMode(device::Device& device)
      : device_(device), previous_(device.exchange_capture_mode(device::CaptureMode::relaxed).value()) {}
  ~RelaxedCaptureMode() { static_cast<void>(device_.exchange_capture_mode(previous_)); }
  RelaxedCaptureMode(const RelaxedCaptureMode&) = delete;
  RelaxedCaptureMode& operator=(const RelaxedCaptureMode&) = delete;

 private:
  device::Device& device_;
  device::CaptureMode previous_;
};

/// Whether work given to `stream` is recorded. The default stream cannot be captured,
/// and asking about it would disturb a capture elsewhere. @throws DeviceError.
inline bool is_capturing(device::Device& device, device::Stream stream) {
  return stream != device.default_stream() && device.capture_info(stream).value().status != device::CaptureStatus::none;
}

}  // namespace gpucheck::runtime::detail
