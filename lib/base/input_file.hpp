#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpucheck {

/// All bytes of a file; a pipe or FIFO is read to its end.
/// @param kind what the file is to its reader, for messages: "golden file", "waivers".
/// @throws EnvironmentError naming the path and the system's reason.
std::string read_input_file(const std::string& path, std::string_view kind);

/// The same; nothing where there is no such file. One that cannot be read is still an error.
std::optional<std::string> read_input_file_if_any(const std::string& path, std::string_view kind);

}  // namespace gpucheck
