#pragma once

#include <optional>
#include <span>
#include <vector>

#include "golden/limits/limits.hpp"
#include "harness/values/run_settings.hpp"
#include "runner/plan/plan.hpp"

namespace gpucheck::runner {

/// What limits files expect of single GPUs, as parameters of the cases that declare them by these names. What the
/// command line says goes before.
class Expectations {
 public:
  /// @param devices of the run. Simulated ones are also known by the names, UUIDs and PCI addresses of the recorded
  /// GPUs that stand in for them. @throws EnvironmentError for a recording that cannot be read.
  Expectations(const golden::Limits& limits, const harness::RunSettings& settings,
               std::span<const harness::DeviceIdentity> devices);

  /// The case with what is expected of that device; nothing where nothing is that concerns the case.
  [[nodiscard]] std::optional<PlannedCase> applied_to(const PlannedCase& planned, int device) const;

 private:
  [[nodiscard]] std::optional<std::int64_t> of(std::string_view name, std::size_t device) const;

  const golden::Limits& limits_;
  std::vector<std::vector<harness::DeviceIdentity>> devices_;  ///< each by all that it is known by
};

}  // namespace gpucheck::runner
