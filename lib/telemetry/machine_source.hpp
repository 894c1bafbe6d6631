#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "telemetry/source.hpp"

namespace gpucheck::telemetry {

/// How long GPUs are waited for.
struct GpuPatience {
  std::chrono::milliseconds usual{3000};
  /// Once no more GPUs are missing than are known not to answer.
  std::chrono::milliseconds for_silent{500};
  /// How many are known not to answer; null for none.
  std::shared_ptr<const std::atomic<int>> silent = {};
};

/// The driver alone, as `open_nvml` gives it, with another patience.
[[nodiscard]] std::unique_ptr<Source> open_nvml_within(GpuPatience patience);

/// This machine's driver and operating system, as `open_nvml` gives them. Where the library cannot be opened and the
/// machine has a GPU, the reason says which part of the driver is missing and what to do next: nobody may take that for
/// a machine that can do without. @throws as `open_nvml` does; NotInstalled only on a machine without a GPU.
[[nodiscard]] std::unique_ptr<Source> open_machine(GpuPatience patience = {});

}  // namespace gpucheck::telemetry
