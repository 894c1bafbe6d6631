#pragma once

#include <memory>

#include "telemetry/source.hpp"

/// GPUs one by one, for whoever asks each of them apart.
namespace gpucheck::telemetry {

struct NvmlList {
  Machine versions;  ///< without GPUs
  unsigned count = 0;
};

/// What NVIDIA's library reports without asking any GPU. @throws as `open_nvml` does.
[[nodiscard]] NvmlList list_nvml();

/// The GPU of that number alone; none where there are fewer. @throws as `open_nvml` does.
[[nodiscard]] std::unique_ptr<Source> open_nvml_gpu(unsigned index);

}  // namespace gpucheck::telemetry
