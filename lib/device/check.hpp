#pragma once

#include "device/device.hpp"

namespace gpucheck::device {

/// As `check(status, operation)`, with the words of the device itself for the code.
/// @throws DeviceError for anything but success.
inline void check(const Errors& device, Status status, std::string_view operation) {
  if (status != Status::success) throw DeviceError(status, operation, device.error_text(status));
}

}  // namespace gpucheck::device
