#pragma once

#include <memory>

#include "telemetry/fault/fault_plan.hpp"
#include "telemetry/source.hpp"

namespace gpucheck::telemetry {

/// Answers as `inner` does, but for what the plan says.
/// @param gpu the one that the plan is about. @throws Error for a plan that makes no sense.
[[nodiscard]] std::unique_ptr<Source> inject(std::unique_ptr<Source> inner, FaultPlan plan, GpuId gpu);

}  // namespace gpucheck::telemetry
