#pragma once

#include <chrono>
#include <cstdint>

#include "harness/telemetry/gpu_watch.hpp"

namespace gpucheck::harness {

/// When a GPU counts as idle, and how long that is waited for.
struct IdleLimits {
  std::chrono::milliseconds patience{5000};
  std::int64_t utilization_percent = 0;  ///< of the multiprocessors, as the driver reports it: over up to a second past
};

/// Waits until nothing runs on a GPU, and neither heat nor power holds its clocks down; gives up in time. Throws
/// nothing where the driver does not say: the report says so.
[[nodiscard]] IdleReport wait_until_idle(GpuWatch& watch, std::size_t index, const IdleLimits& limits = {});

}  // namespace gpucheck::harness
