#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/utf8.hpp"

/// Text from cases, drivers and dead processes is any sequence of bytes. These make it
/// fit to be shown and filed. All take linear time; none throws but for lack of memory.
namespace gpucheck {

/// Valid UTF-8 that a terminal shows and XML 1.0 allows: terminal control sequences
/// (CSI, OSC and their kin) removed, CR and CRLF made LF, broken UTF-8 and every other
/// control or illegal character, and those that turn the direction of text, replaced by
/// U+FFFD. Newlines and tabs stay.
std::string clean_text(std::string_view raw);

/// `clean_text` on one line: every run of spaces, tabs and newlines becomes one space,
/// none at the ends; at most `limit` characters, the last then being an ellipsis.
std::string one_line(std::string_view raw, std::size_t limit = 400);

/// At most about `head + tail` bytes of `text`: its start, a line that says how many
/// bytes were cut, its end. Cuts between UTF-8 characters.
std::string cut_middle(std::string_view text, std::size_t head, std::size_t tail);

/// The last `count` lines, an empty one at the very end not counted.
std::string_view last_lines(std::string_view text, std::size_t count);

/// Columns that valid UTF-8 takes on a terminal: one for each character.
inline std::size_t columns(std::string_view text) { return utf8_length(text); }

}  // namespace gpucheck
