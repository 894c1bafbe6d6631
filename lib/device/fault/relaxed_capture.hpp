#pragma once

#include "device/device.hpp"

namespace gpucheck::fault {

/// For a scope, calls of this thread break no capture.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(device::Device& device)
      : device_(device), previous_(device.exchange_capture_mode(device::CaptureMode::relaxed)) {}
  ~RelaxedCapture() {
    if (previous_) static_cast<void>(device_.exchange_capture_mode(*previous_));
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  device::Device& device_;
  device::Result<device::CaptureMode> previous_;
};

/// Whether work given to `stream` is recorded.
inline bool is_capturing(device::Device& device, device::Stream stream) {
  const device::Result<device::CaptureInfo> info = device.capture_info(stream);
  return info && info->status == device::CaptureStatus::active;
}

}  // namespace gpucheck::fault
