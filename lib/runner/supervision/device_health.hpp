#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/result/result.hpp"
#include "runner/plan/assignment.hpp"
#include "runner/worker/worker_process.hpp"

namespace gpucheck::runner {

/// What became of the workers that were to use each device, and whether its driver answers. Not thread-safe.
class DeviceHealth {
 public:
  DeviceHealth() = default;
  /// A device with a problem cannot be used from the start.
  explicit DeviceHealth(std::span<const harness::DeviceIdentity> devices);

  /// Why the case cannot run on its devices; empty when it can.
  [[nodiscard]] std::string why_unusable(const Assignment& assignment) const;
  void worker_started(std::span<const int> devices);
  /// A device that makes each worker wait is not waited for again, so that the others' results are not late.
  void worker_failed(std::span<const int> devices, const RequestEnd& end, const std::string& reason);

  /// A GPU that makes each question wait is not waited for again and again: the same for the driver's readings.
  void note_silence(const Assignment& assignment, const harness::CaseResult& result);
  [[nodiscard]] std::uint64_t silent_gpus() const;

 private:
  struct Device {
    int failed_starts = 0;      ///< in a row
    std::string unusable = {};  ///< why no more workers are started; empty while some are
    int silent_cases = 0;       ///< in a row, in which its telemetry did not answer
    std::string silence = {};   ///< what was said of that; empty while it answers
  };

  [[nodiscard]] const Device& at(int device) const { return devices_.at(static_cast<std::size_t>(device)); }
  [[nodiscard]] Device& at(int device) { return devices_.at(static_cast<std::size_t>(device)); }
  [[nodiscard]] std::string why_silent() const;

  std::vector<Device> devices_;
};

}  // namespace gpucheck::runner
