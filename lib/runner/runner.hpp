#pragma once

#include <span>
#include <vector>

#include "golden/golden.hpp"
#include "harness/run/events.hpp"
#include "runner/plan/options.hpp"
#include "runner/plan/plan.hpp"

/// Runs cases in worker processes and judges them. The supervisor never touches a
/// device: it starts workers (the same binary), gives each case a deadline, replaces
/// workers that crash, hang or are contaminated, and informs its sinks of what happens.
namespace gpucheck::runner {

/// Runs the plan to its end, or until a signal, which stops it cleanly (signals.hpp). Blocks; call once at a time, from
/// the main thread. A device that cannot be used costs its own cases alone, each of which is an error with the driver's
/// own reason; so do all of them where CUDA does not start.
/// @throws EnvironmentError when no worker can be started. @throws UsageError for a device name that means
/// nothing. The sinks have heard nothing then. What a sink throws comes through.
RunSummary run(const Plan& plan, const golden::GoldenSet& goldens, const Options& options,
               std::span<harness::EventSink* const> sinks);

/// Reports the sinks of a run for which nothing was selected; touches no device. `Options::no_cases` is its verdict.
RunSummary run_nothing(const Options& options, std::span<harness::EventSink* const> sinks);

/// Asks a worker what the devices are, without running anything.
/// @throws EnvironmentError, UsageError as `run` does.
std::vector<harness::DeviceIdentity> identify_devices(const Options& options);

}  // namespace gpucheck::runner
