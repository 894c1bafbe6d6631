#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/case.hpp"
#include "harness/gpu_watch.hpp"
#include "harness/run_settings.hpp"
#include "runner/worker.hpp"

namespace gpucheck::runner {

/// What watches the GPUs of a worker's cases: NVIDIA's library, or what stands in for it on simulated devices. It is
/// opened once for all cases that follow each other on the same devices. Used by one thread.
class WorkerTelemetry {
 public:
  explicit WorkerTelemetry(DriverFactory make_driver) : make_driver_(make_driver) {}

  /// Begins to open it, where that takes time, so that the first case need not wait.
  void prepare(const device::Driver& driver, const std::vector<telemetry::GpuId>& gpus);

  /// For one case. A fault in what the driver tells has a watch of its own.
  /// @throws EnvironmentError for a recording that cannot be read.
  [[nodiscard]] std::shared_ptr<harness::GpuWatch> watch(const device::Driver& driver,
                                                         const harness::RunSettings& settings,
                                                         const std::vector<telemetry::GpuId>& gpus,
                                                         const harness::Fault* fault);

 private:
  [[nodiscard]] telemetry::Sampler::Open source_of(const device::Driver& driver, const harness::RunSettings& settings);
  [[nodiscard]] const telemetry::Machine& machine_for(const harness::RunSettings& settings);

  DriverFactory make_driver_;
  std::shared_ptr<harness::GpuWatch> kept_;
  std::string kept_for_;                       ///< which devices and recording that is
  std::optional<telemetry::Machine> machine_;  ///< the stand-in
  std::string machine_for_;                    ///< likewise
};

}  // namespace gpucheck::runner
