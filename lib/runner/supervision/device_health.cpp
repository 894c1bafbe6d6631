#include "runner/supervision/device_health.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "harness/case/needs.hpp"
#include "telemetry/machine/gpu_loss.hpp"

namespace gpucheck::runner {
namespace {

/// A device on which as many workers in a row cannot be started is not tried again.
constexpr int max_failed_starts = 2;
/// A driver that did not answer in as many cases in a row of each device is asked no more.
constexpr int max_silent_cases = 2;

}  // namespace

DeviceHealth::DeviceHealth(std::span<const harness::DeviceIdentity> devices) {
  for (const harness::DeviceIdentity& device : devices) devices_.push_back({.unusable = device.problem});
}

/// Why a case that asks the driver alone gets no answer: the driver answers for no device. Of a silent one there is
/// still what the kernel's log says.
std::string DeviceHealth::why_silent() const {
  const auto is_silent = [](const Device& device) { return device.silent_cases >= max_silent_cases; };
  if (devices_.empty() || !std::ranges::all_of(devices_, is_silent)) return {};
  return fmt::format("the driver does not answer for any device: {}", devices_.front().silence);
}

std::string DeviceHealth::why_unusable(const Assignment& assignment) const {
  if (harness::opens_no_device(*assignment.planned->test_case)) return why_silent();
  for (const int device : assignment.devices) {
    const std::string& reason = at(device).unusable;
    if (!reason.empty()) return fmt::format("device {} cannot be used: {}", device, reason);
  }
  return {};
}

void DeviceHealth::worker_started(std::span<const int> devices) {
  for (const int device : devices) at(device).failed_starts = 0;
}

void DeviceHealth::worker_failed(std::span<const int> devices, const RequestEnd& end, const std::string& reason) {
  for (const int device : devices) {
    Device& health = at(device);
    const bool hopeless = end.kind == RequestEnd::Kind::deadline || ++health.failed_starts >= max_failed_starts;
    if (hopeless && devices.size() == 1) health.unusable = reason;
  }
}

void DeviceHealth::note_silence(const Assignment& assignment, const harness::CaseResult& result) {
  if (!result.fault.empty()) return;
  for (const harness::GpuTelemetry& gpu : result.telemetry) {
    Device& health = at(assignment.devices.at(static_cast<std::size_t>(gpu.device)));
    const bool is_silent = telemetry::says_no_answer(gpu.problem);
    health.silent_cases = is_silent ? health.silent_cases + 1 : 0;
    health.silence = is_silent ? gpu.problem : "";
  }
}

std::uint64_t DeviceHealth::silent_gpus() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(devices_, [](const Device& device) { return !device.silence.empty(); }));
}

}  // namespace gpucheck::runner
