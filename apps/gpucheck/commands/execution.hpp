#pragma once

#include <functional>
#include <span>
#include <vector>

#include "harness/run/events.hpp"
#include "input/environment.hpp"
#include "output/distinct_files.hpp"
#include "runner/runner.hpp"

namespace gpucheck::application {

/// The runner's options: what was typed, and what this process knows of itself and reads. @throws UsageError,
/// EnvironmentError for a device that does not exist or is not built in.
runner::Options runner_options(const Environment& environment, const runner::Options& options);

/// Every file that a run with these settings reads; the paths of those that were not named are empty.
std::vector<NamedFile> files_of_settings(const harness::RunSettings& settings);

/// Keeps what the commands that print their own report need to know of a run.
class RunRecorder final : public harness::EventSink {
 public:
  void on(const harness::RunStarted& event) override;
  void on(const harness::CaseStarted& event) override;
  void on(const harness::CaseFinished& event) override;
  void on(const harness::RunFinished& event) override;

  [[nodiscard]] const harness::DeviceIdentity& device() const noexcept { return device_; }
  [[nodiscard]] int interrupted_by_signal() const noexcept { return interrupted_by_signal_; }
  /// What the last run was to run and did not finish: an error each, that says why.
  [[nodiscard]] const std::vector<harness::CaseResult>& unfinished() const noexcept { return unfinished_; }
  /// Called after each case.
  std::function<void()> on_case;

 private:
  harness::DeviceIdentity device_;
  int interrupted_by_signal_ = 0;
  std::vector<harness::CaseResult> unfinished_;
};

/// Runs the plan quietly, each case on the first of the devices chosen (or the first pair). Of an interrupted run
/// there is a result for each case too, as RunRecorder::unfinished has it. The recorder may be used for several
/// runs in turn.
std::vector<harness::CaseResult> run_quietly(const runner::Plan& plan, const golden::GoldenSet& goldens,
                                             const runner::Options& options, RunRecorder& recorder);

/// Reports the person on what the cases run, and why, on stderr.
void note_device(const harness::DeviceIdentity& device);

}  // namespace gpucheck::application
