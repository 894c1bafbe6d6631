#pragma once

#include "device/device.hpp"

namespace gpucheck::device {

/// As `check(status, operation)`, with the words of the device itself for the code. What is
/// thrown is forgotten there, unless it is sticky: whoever asks the device for its last
/// error next hears of his own. @throws DeviceError for anything but success.
inline void check(Errors& device, Status status, std::string_view operation) {
  if (status == Status::success) return;
  static_cast<void>(device.last_error());
  throw DeviceError(status, operation, device.error_text(status));
}

/// The value of a call that gave one. @throws DeviceError as above.
template <typename T>
T check(Errors& device, Result<T> result, std::string_view operation) {
  if (!result) check(device, result.error(), operation);
  return *std::move(result);
}

}  // namespace gpucheck::device
