#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/result/result.hpp"
#include "input/machine/machine_report.hpp"
#include "telemetry/machine/machine.hpp"

/// What a machine reports of itself within a bounded time, whatever its driver does.
namespace gpucheck::application {

/// What the driver and the operating system report of the GPUs.
struct MachineState {
  telemetry::Machine machine;       ///< what did not come in time is a failed reading that says so
  std::string problem;              ///< why nothing is known of the GPUs; empty where something is
  std::vector<std::string> silent;  ///< those that did not answer, or not all, each with its place and what to do
};

/// All of `info`.
struct MachineAnswers {
  MachineState state;
  MachineReport report;
};

/// The time that `info` and its like take at most, whatever a driver does.
inline constexpr std::chrono::milliseconds answer_limit{4400};

/// Asks CUDA, each GPU through NVML, each library and the operating system apart from each other, all at once.
/// @throws EnvironmentError when no process can be started.
[[nodiscard]] MachineAnswers ask_machine();

/// The devices that a run on the named ones would have, as `runner::identify_devices` gives them; one that says so
/// where they do not answer in time. @throws UsageError, EnvironmentError.
[[nodiscard]] std::vector<harness::DeviceIdentity> ask_devices(const std::string& device_name);

/// The same of the GPUs alone.
[[nodiscard]] MachineState ask_gpus();

}  // namespace gpucheck::application
