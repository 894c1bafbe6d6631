#pragma once

#include <optional>
#include <string_view>

/// Why a device could not be used at all: the driver, a service, a permission, a setting.
namespace gpucheck::runner {

/// The name in harness/failure_kinds.hpp of what kept the devices from being used, of the words of an error that say
/// so: those of telemetry/driver_state.hpp, of start_answers.hpp, or the code of the CUDA runtime with which a device
/// did not start. Nothing where the error is about something else.
std::optional<std::string_view> start_fault_in_words(std::string_view words);

}  // namespace gpucheck::runner
