#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "harness/telemetry/gpu_telemetry.hpp"
#include "telemetry/sampler.hpp"

namespace gpucheck::harness {

/// Watches the GPUs of cases through their driver: error counters before and after, gauges ten times a second. Serves
/// one case after the other, so that the driver's library is opened once, and that an error between two cases is not
/// lost: it counts to the later one. Used by one thread.
class GpuWatch {
 public:
  /// Opens nothing yet. @param gpus those of the cases' devices, in their order.
  GpuWatch(telemetry::Sampler::Open open, std::vector<telemetry::GpuId> gpus, telemetry::SamplingPace pace = {});

  [[nodiscard]] const std::vector<telemetry::GpuId>& gpus() const noexcept { return gpus_; }

  /// Opens the source and reads the counters for the first case; waits for nothing.
  void prepare();
  /// A case begins. Waits for nothing.
  void begin();
  /// It has ended: what changed on each of its GPUs. Waits for the driver as long as its patience lasts.
  [[nodiscard]] std::vector<GpuTelemetry> end();

  // -- for the case; each @throws telemetry::NoAnswer, NotInstalled, EnvironmentError as Sampler::answer does ---------

  /// All GPUs of the machine, and what the operating system reports of them.
  [[nodiscard]] telemetry::Machine machine();
  /// What the operating system shows of InfiniBand and RoCE adapters; no GPU is asked.
  [[nodiscard]] telemetry::NetworkFiles network();
  /// One of the case's. @throws EnvironmentError where the driver has it not.
  [[nodiscard]] telemetry::Gpu gpu(std::size_t index = 0, telemetry::Subset subset = telemetry::Subset::everything);
  /// Its gauges since the case began.
  [[nodiscard]] telemetry::Series series(std::size_t index = 0) const;

 private:
  [[nodiscard]] telemetry::Question counters() const;
  [[nodiscard]] telemetry::Machine before();
  void look_up_texts(std::vector<GpuTelemetry>& all);
  void note_losses(const telemetry::Machine& machine);

  std::vector<telemetry::GpuId> gpus_;
  std::vector<std::string> losses_;  ///< of each, what an answer to the case has said of its loss
  telemetry::Sampler sampler_;
  std::shared_ptr<telemetry::Sampler::Pending> first_;  ///< the counters before any case, on their way
  std::optional<telemetry::Machine> last_;              ///< the counters after the last case
};

}  // namespace gpucheck::harness
