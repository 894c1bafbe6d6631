#pragma once

#include <string>

#include "device/values/status.hpp"

namespace gpucheck::device {

/// What went wrong, as the driver keeps it.
class Errors {
 public:
  /// `cudaGetLastError`: the calling thread's last error, cleared; a sticky one comes back with the next call.
  virtual Status last_error() = 0;
  /// `cudaPeekAtLastError`.
  virtual Status peek_last_error() = 0;
  /// The device's own words for a code (`cudaGetErrorString`). Works on any thread,
  /// also after a sticky error.
  [[nodiscard]] virtual std::string error_text(Status status) const = 0;

 protected:
  ~Errors() = default;
};

}  // namespace gpucheck::device

/// The operations of `Errors`: see `operations.hpp`.
#define GPUCHECK_ERRORS_OPERATIONS(OPERATION, ALSO)         \
  OPERATION(last_error, device::Status, last_error, (), ()) \
  ALSO(last_error, device::Status, peek_last_error, (), ()) \
  OPERATION(error_text, std::string, error_text, (device::Status status) const, (status))
