#pragma once

#include <string>
#include <string_view>

#include "telemetry/machine/machine.hpp"

/// The state of a machine as a JSON file, "gpucheck.telemetry/1" (telemetry.schema.json).
namespace gpucheck::telemetry {

inline constexpr std::string_view machine_schema = "gpucheck.telemetry/1";

/// Ends with a newline.
[[nodiscard]] std::string machine_text(const Machine& machine);

/// What the file leaves out is unavailable, "not in the recording".
/// @param name the file's, for messages. @throws EnvironmentError that says where it is wrong.
[[nodiscard]] Machine parse_machine(std::string_view bytes, const std::string& name);

/// The same of a file. @throws EnvironmentError also for one that cannot be read.
[[nodiscard]] Machine read_machine(const std::string& path);

}  // namespace gpucheck::telemetry
