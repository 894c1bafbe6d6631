#pragma once

#include <string>
#include <string_view>

/// Lines that a person pastes into a shell. They are shown whole or not at all: what is cut may end inside of a quote.
namespace gpucheck {

/// `word` as a POSIX shell reads it back unchanged; in quotes only where it needs them.
std::string shell_quoted(std::string_view word);

/// The same, always in quotes.
std::string in_single_quotes(std::string_view word);

/// A shell takes the line for words as `shell_quoted` writes them, and for nothing else: no second command, no
/// variable, no control character, which a terminal may act on.
bool is_plain_command(std::string_view line);

}  // namespace gpucheck
