#include "runner/plan/expectations.hpp"

#include <algorithm>

#include "telemetry/machine/machine_file.hpp"
#include "telemetry/machine/stand_in.hpp"

namespace gpucheck::runner {
namespace {

using harness::DeviceIdentity;
using telemetry::Reading;

std::string text_of(const telemetry::Gpu& gpu, Reading reading) {
  const std::string* const text = telemetry::text(gpu[reading]);
  return text == nullptr ? "" : *text;
}

/// The device under the identity of the recorded GPU that stands in for it.
DeviceIdentity as_recorded(DeviceIdentity device, const telemetry::Gpu& gpu) {
  device.name = text_of(gpu, Reading::name);
  device.uuid = text_of(gpu, Reading::uuid);
  device.pci_bus_id = text_of(gpu, Reading::pci_address);
  return device;
}

}  // namespace

Expectations::Expectations(const golden::Limits& limits, const harness::RunSettings& settings,
                           std::span<const DeviceIdentity> devices)
    : limits_(limits) {
  if (!limits_.has_expectations()) return;
  for (const DeviceIdentity& device : devices) devices_.push_back({device});
  if (devices.empty() || devices.front().kind != "sim") return;
  const telemetry::Machine machine =
      settings.telemetry.empty() ? telemetry::healthy_machine() : telemetry::read_machine(settings.telemetry);
  for (std::size_t i = 0; i < devices_.size() && !machine.gpus.empty(); ++i) {
    if (machine.gpus.size() > 1 && i >= machine.gpus.size()) break;
    // A recording of one GPU stands for all.
    const telemetry::Gpu& gpu = machine.gpus[machine.gpus.size() > 1 ? i : 0];
    devices_[i].push_back(as_recorded(devices[i], gpu));
  }
}

std::optional<std::int64_t> Expectations::of(std::string_view name, std::size_t device) const {
  for (const DeviceIdentity& identity : devices_.at(device)) {
    if (const auto expected = limits_.expectation(name, identity)) return expected;
  }
  return {};
}

std::optional<PlannedCase> Expectations::applied_to(const PlannedCase& planned, int device) const {
  if (devices_.empty()) return {};
  std::optional<PlannedCase> applied;
  for (const std::string_view name : golden::expectation_names) {
    const harness::Parameter* const parameter = planned.test_case->find_parameter(name);
    if (parameter == nullptr || planned.settings.parameters.contains(parameter->name)) continue;
    const auto expected = of(name, static_cast<std::size_t>(device));
    if (!expected) continue;
    if (!applied) applied = planned;
    applied->settings.parameters.emplace(parameter->name, *expected);
  }
  return applied;
}

}  // namespace gpucheck::runner
