#pragma once

#include <chrono>

#include "harness/case/case.hpp"
#include "harness/case/context.hpp"
#include "telemetry/machine/machine.hpp"

namespace gpucheck::cases::in_stress {

/// What the driver reports of a GPU while it is under load.
class Strain {
 public:
  /// Load begins. @throws harness::Skip where the driver reports neither power nor clocks; what `GpuWatch::gpu` throws.
  explicit Strain(harness::Context& context);
  /// Load is about to end: to be called while work is still queued.
  void look();
  /// Observes "load_reached" (the GPU was at its power limit or at its highest clock: more it cannot do), with
  /// "peak_power_percent" of that limit and "mean_clock_percent" of that clock; how long what held the clocks down
  /// (`in_health::observe_slowdowns`); "temperature_over_limit_celsius", the limit being what slows the GPU down.
  void observe(harness::Context& context) const;

 private:
  harness::GpuWatch& watch_;
  telemetry::Gpu state_;  ///< limits, and the counters before
  std::chrono::steady_clock::time_point start_;
  telemetry::Gpu counters_;  ///< afterwards
  telemetry::Gpu gauges_;    ///< at the look
  double duration_ns_ = 0;
};

/// How the driver's tale of a load can be broken.
[[nodiscard]] std::vector<harness::Fault> strain_faults();

}  // namespace gpucheck::cases::in_stress
