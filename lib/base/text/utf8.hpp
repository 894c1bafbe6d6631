#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Text whose bytes may be anything. All take linear time and are thread-safe; none
/// throws but for lack of memory.
namespace gpucheck {

/// U+FFFD, which stands for what is not UTF-8.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// U+2026, which stands for what was cut.
inline constexpr std::string_view ellipsis = "\xE2\x80\xA6";

/// Whether a byte is one of `first` to `last`.
constexpr bool in_range(char letter, std::uint8_t first, std::uint8_t last) noexcept {
  return static_cast<std::uint8_t>(letter) >= first && static_cast<std::uint8_t>(letter) <= last;
}

/// The character at the start of a text.
struct Utf8Character {
  std::size_t length = 1;  ///< bytes
  bool valid = false;
};

/// A well-formed sequence of Unicode's table 3-7. An ill-formed one counts as far as it
/// was right, so that one broken character gives one replacement. `text` is not empty.
Utf8Character first_utf8_character(std::string_view text) noexcept;

/// The text with each broken character replaced by U+FFFD.
std::string to_valid_utf8(std::string_view text);

/// The nearest place at or before `at` that is not inside a character; `at` where there
/// is none among the bytes that one character can have. `at` is at most the text's size.
std::size_t utf8_boundary_before(std::string_view text, std::size_t at) noexcept;

/// Characters of valid UTF-8.
std::size_t utf8_length(std::string_view text) noexcept;

/// At most `limit` characters of valid UTF-8; when some were cut, the last is an ellipsis.
std::string shorten_utf8(std::string text, std::size_t limit);

}  // namespace gpucheck
