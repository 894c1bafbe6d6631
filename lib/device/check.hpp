#pragma once

#include "device/device.hpp"

namespace gpucheck::device {

/// As `check(status, operation)`, with the words of the device itself for the code.
/// @throws DeviceError for anything but success.
inline void check(const Errors& device, Status status, std::string_view operation) {
  if (status != Status::success) throw DeviceError(status, operation, device.error_text(status));
}

/// As `check`; what is thrown is forgotten by the device, unless it is sticky: whoever asks
/// for the last error next hears of his own.
inline void check_and_clear(Errors& device, Status status, std::string_view operation) {
  if (status != Status::success) static_cast<void>(device.last_error());
  check(device, status, operation);
}

/// The value of a call that gave one.
template <typename T>
T check_and_clear(Errors& device, Result<T> result, std::string_view operation) {
  if (!result) check_and_clear(device, result.error(), operation);
  return *std::move(result);
}

}  // namespace gpucheck::device
