#pragma once

#include <memory>
#include <string>

#include "telemetry/machine.hpp"

namespace gpucheck::telemetry {

/// Where readings come from: a driver, or a file that one was written to.
class Source {
 public:
  virtual ~Source() = default;
  /// Asks all of every GPU. A question that fails is answered with its reason.
  /// @throws EnvironmentError where nobody can be asked at all. A driver may never return.
  [[nodiscard]] virtual Machine read() = 0;

 protected:
  Source() = default;
  Source(const Source&) = default;
  Source& operator=(const Source&) = default;
};

/// NVIDIA's driver, through libnvidia-ml.so.1, loaded now. Needs no root and no daemon.
/// @throws EnvironmentError where it cannot be loaded or does not work.
[[nodiscard]] std::unique_ptr<Source> open_nvml();

/// What `write_machine` wrote: the same at each reading. @throws EnvironmentError, which names
/// the place, for a file that cannot be read or says what no machine can.
[[nodiscard]] std::unique_ptr<Source> open_recording(const std::string& path);

}  // namespace gpucheck::telemetry
