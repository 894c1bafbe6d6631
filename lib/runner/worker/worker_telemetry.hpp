#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/case/case.hpp"
#include "harness/telemetry/gpu_watch.hpp"
#include "harness/values/run_settings.hpp"
#include "runner/worker/worker.hpp"

namespace gpucheck::runner {

/// What watches the GPUs of a worker's cases: NVIDIA's library, or what stands in for it on simulated devices. It is
/// opened once for all cases that follow each other on the same devices. Used by one thread.
class WorkerTelemetry {
 public:
  explicit WorkerTelemetry(DriverFactory make_driver) : make_driver_(make_driver) {}

  /// Begins to open it, where that takes time, so that the first case need not wait.
  void prepare(const device::Driver& driver, const std::vector<telemetry::GpuId>& gpus);

  /// The text of the recording that the settings of the requests name from now on.
  void use_recording(std::string text);

  /// How many of the machine's GPUs are known not to answer: those are not waited for as long as others.
  void expect_silent_gpus(int count) noexcept { *silent_gpus_ = count; }

  /// For one case. A fault in what the driver reports has a watch of its own.
  /// @throws EnvironmentError for a recording that cannot be read.
  [[nodiscard]] std::shared_ptr<harness::GpuWatch> watch(const device::Driver& driver,
                                                         const harness::RunSettings& settings,
                                                         const std::vector<telemetry::GpuId>& gpus,
                                                         const harness::Fault* fault);

 private:
  [[nodiscard]] telemetry::Sampler::Open source_of(const device::Driver& driver, const harness::RunSettings& settings);
  [[nodiscard]] const telemetry::Machine& machine_for(const harness::RunSettings& settings);

  DriverFactory make_driver_;
  std::shared_ptr<std::atomic<int>> silent_gpus_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<harness::GpuWatch> kept_;
  std::string kept_for_;  ///< which devices and recording that is
  std::string recording_;
  std::optional<telemetry::Machine> machine_;  ///< the stand-in
  std::string machine_for_;                    ///< likewise
};

}  // namespace gpucheck::runner
