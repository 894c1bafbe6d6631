#include "runner/worker/device_clock.hpp"

namespace gpucheck::runner {

void DeviceClock::process_started(std::span<const int> devices) {
  for (const int device : devices) ++devices_.at(static_cast<std::size_t>(device)).time.processes;
}

void DeviceClock::starting(std::span<const int> devices, int more, Clock::time_point now) {
  advance(now);
  for (const int device : devices) devices_.at(static_cast<std::size_t>(device)).starting += more;
}

void DeviceClock::running(std::span<const int> devices, int more, Clock::time_point now) {
  advance(now);
  for (const int device : devices) devices_.at(static_cast<std::size_t>(device)).running += more;
}

void DeviceClock::own_process(std::span<const int> devices, double elapsed_ms) {
  for (const int device : devices) devices_.at(static_cast<std::size_t>(device)).time.own_process_ms += elapsed_ms;
}

std::vector<harness::DeviceTime> DeviceClock::times(Clock::time_point now) {
  advance(now);
  std::vector<harness::DeviceTime> times;
  for (const Device& device : devices_) {
    times.push_back(device.time);
    times.back().device = static_cast<int>(times.size()) - 1;
  }
  return times;
}

void DeviceClock::advance(Clock::time_point now) {
  const double passed = std::chrono::duration<double, std::milli>(now - last_).count();
  last_ = now;
  for (Device& device : devices_) {
    double& share = device.running > 0    ? device.time.running_ms
                    : device.starting > 0 ? device.time.starting_ms
                                          : device.time.idle_ms;
    share += passed;
  }
}

}  // namespace gpucheck::runner
