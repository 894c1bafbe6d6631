#pragma once

#include <string>
#include <string_view>

namespace gpucheck::observe {

/// The text with every byte that is not part of valid UTF-8 replaced by U+FFFD: both
/// snapshot formats hold nothing else.
std::string to_valid_utf8(std::string_view text);

/// The text as a JSON string, quotes included. The text must be valid UTF-8.
std::string to_json_string(std::string_view text);

}  // namespace gpucheck::observe
