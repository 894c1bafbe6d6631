#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "harness/result/result.hpp"

namespace gpucheck::runner {

/// Keeps where each device's wall time goes. Reported of every start and end, at the moment
/// it happens. Data only; used by one thread at a time.
class DeviceClock {
 public:
  using Clock = std::chrono::steady_clock;

  DeviceClock(std::size_t devices, Clock::time_point start) : devices_(devices), last_(start) {}

  void process_started(std::span<const int> devices);
  /// A worker is being started, or waits for its turn to be.
  void starting(std::span<const int> devices, int more, Clock::time_point now);
  void running(std::span<const int> devices, int more, Clock::time_point now);
  /// A case that ran in a process of its own has ended.
  void own_process(std::span<const int> devices, double elapsed_ms);
  /// Up to now; the three times add up to what has passed since the start.
  [[nodiscard]] std::vector<harness::DeviceTime> times(Clock::time_point now);

 private:
  struct Device {
    harness::DeviceTime time;
    int starting = 0;
    int running = 0;
  };

  void advance(Clock::time_point now);

  std::vector<Device> devices_;
  Clock::time_point last_;
};

}  // namespace gpucheck::runner
