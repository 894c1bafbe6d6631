#include "telemetry/machine_source.hpp"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "telemetry/machine/driver_state.hpp"

namespace gpucheck::telemetry {

std::unique_ptr<Source> open_machine(GpuPatience patience) {
  try {
    return open_nvml_within(std::move(patience));
  } catch (const EnvironmentError& error) {
    const DriverState state = look_at_driver();
    if (!state.has_gpu()) throw;
    const std::string missing = missing_part(state);
    throw EnvironmentError(missing.empty() ? error.what() : fmt::format("{}; {}", error.what(), missing));
  }
}

}  // namespace gpucheck::telemetry
