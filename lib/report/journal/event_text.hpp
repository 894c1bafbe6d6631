#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace gpucheck::report {

/// Each byte as the character of that number, in UTF-8: how a journal keeps text that is not UTF-8.
std::string to_latin1(std::string_view bytes);

/// The way back; nothing where a character is above U+00FF.
std::optional<std::string> from_latin1(std::string_view text);

/// The time that `utc_milliseconds` writes as "2026-08-22T10:11:12.345Z"; nothing where the text is another, or the
/// year is not one of 1970 to 2261: the clock counts nanoseconds from 1970 in 64 bits, which last until 2262.
std::optional<std::chrono::system_clock::time_point> parse_utc_milliseconds(std::string_view text);

}  // namespace gpucheck::report
