#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "device/driver.hpp"
#include "observe/device_trace/recording.hpp"

namespace gpucheck::observe {

/// Gathers what the devices of one driver are asked and what they do, until it is
/// finished. Thread-safe, but for `finish`.
class TraceRecorder {
 public:
  /// Begins to record, with the driver's own recorder where it has one.
  TraceRecorder(device::Driver& driver, std::string title);

  /// False where the driver has no recorder: times of devices must then be measured with
  /// events and handed to `add`.
  [[nodiscard]] bool sees_devices() const noexcept { return recorder_ != nullptr; }
  /// Reads the clock of all times here.
  [[nodiscard]] std::uint64_t now_ns();
  /// The number of a stream of the calling thread's device in activities.
  [[nodiscard]] std::uint64_t number_of(device::Stream stream);

  /// A call of this thread begins, with its number and its start; calls do not nest.
  [[nodiscard]] HostCall begin_call();
  void end_call(HostCall call);

  void add(device::Activity activity);
  void add(TracedDevice device);
  /// Memory of this kind on this device grew or shrank.
  void memory_changed(int device, MemoryKind kind, std::int64_t bytes);

  /// Ends the recording. The devices must have been waited for and closed.
  [[nodiscard]] DeviceTrace finish();

 private:
  std::unique_ptr<device::ActivityRecorder> recorder_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::mutex mutex_;
  DeviceTrace trace_;
};

}  // namespace gpucheck::observe
