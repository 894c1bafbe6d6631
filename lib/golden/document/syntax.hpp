#pragma once

#include <string>
#include <string_view>

namespace gpucheck::golden {

/// @throws MalformedGolden that reads "<origin>: at <place>: <problem>".
[[noreturn]] void malformed(std::string_view origin, std::string_view place, std::string_view problem);

/// One more step of a JSON pointer (RFC 6901), printable whatever the key holds.
std::string child_path(std::string_view parent, std::string_view key);

/// Text from a file as a JSON string that is safe to print: ASCII, at most 80 characters.
std::string quotation(std::string_view text);

/// Checks what a JSON library lets pass: keys that appear twice, integers beyond 64
/// bits, nesting without end, objects too large to be a golden file's.
/// @throws MalformedGolden with line and column for text that is not JSON, else with
/// the JSON pointer.
void check_syntax(std::string_view json, const std::string& origin);

}  // namespace gpucheck::golden
