#include "base/text/sanitize.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "base/text/utf8.hpp"

namespace gpucheck {
namespace {

constexpr char escape = '\x1b';
constexpr char bell = '\x07';

std::uint8_t byte(char letter) { return static_cast<std::uint8_t>(letter); }

/// Skips bytes of a range from `at` on.
std::size_t skip(std::string_view text, std::size_t at, std::uint8_t first, std::uint8_t last) {
  while (at < text.size() && in_range(text[at], first, last)) ++at;
  return at;
}

// CSI: parameters, intermediates, one final byte (ECMA-48, 5.4).
std::size_t control_sequence_length(std::string_view text) {
  const std::size_t final_byte = skip(text, skip(text, 2, 0x30, 0x3F), 0x20, 0x2F);
  return final_byte < text.size() && in_range(text[final_byte], 0x40, 0x7E) ? final_byte + 1 : 0;
}

// OSC, DCS and the like: a text up to BEL or ESC \. The first other control character
// shows that there is no end, so nothing beyond it is ever swallowed.
std::size_t control_string_length(std::string_view text) {
  std::size_t end = 2;
  while (end < text.size() && byte(text[end]) >= 0x20) ++end;
  if (end < text.size() && text[end] == bell) return end + 1;
  return text.substr(end).starts_with("\x1b\\") ? end + 2 : 0;
}

/// Bytes of the escape sequence that `text` (from an ESC on) starts with; 0 for none.
std::size_t escape_sequence_length(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == '[') return control_sequence_length(text);
  if (std::string_view("]PX^_").find(text[1]) != std::string_view::npos) return control_string_length(text);
  const std::size_t final_byte = skip(text, 1, 0x20, 0x2F);
  return final_byte < text.size() && in_range(text[final_byte], 0x30, 0x7E) ? final_byte + 1 : 0;
}

// U+202A..U+202E and U+2066..U+2069 turn the direction of what follows: a name that has one makes a line read otherwise
// than it is written.
bool turns_direction(std::string_view character) {
  const std::string_view start = character.substr(0, 2);
  return (start == "\xE2\x80" && in_range(character[2], 0xAA, 0xAE)) ||
         (start == "\xE2\x81" && in_range(character[2], 0xA6, 0xA9));
}

// U+0080..U+009F are control characters, some of which start terminal sequences;
// U+FFFE and U+FFFF are not allowed in XML.
bool is_forbidden(std::string_view character) {
  if (character.size() == 2) return byte(character[0]) == 0xC2 && byte(character[1]) < 0xA0;
  if (character.size() == 3 && turns_direction(character)) return true;
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF";
}

/// Appends what the start of `text` becomes; returns how many bytes that start has.
std::size_t append_cleaned(std::string& clean, std::string_view text) {
  const char letter = text[0];
  if (in_range(letter, 0x20, 0x7E) || letter == '\n' || letter == '\t') {
    clean += letter;
    return 1;
  }
  if (letter == '\r') {
    clean += '\n';
    return text.starts_with("\r\n") ? 2 : 1;
  }
  if (letter == escape) {
    const std::size_t length = escape_sequence_length(text);
    if (length == 0) clean += replacement_character;
    return std::max(length, std::size_t{1});
  }
  const Utf8Character character = first_utf8_character(text);
  const std::string_view bytes = text.substr(0, character.length);
  clean += character.valid && bytes.size() > 1 && !is_forbidden(bytes) ? bytes : replacement_character;
  return character.length;
}

}  // namespace

std::string clean_text(std::string_view raw) {
  std::string clean;
  clean.reserve(raw.size());
  while (!raw.empty()) raw.remove_prefix(append_cleaned(clean, raw));
  return clean;
}

std::string one_line(std::string_view raw, std::size_t limit) {
  // A character is at most 4 bytes; control sequences and runs of spaces take more, so
  // that a text full of them may come out shorter than it could. It stays bounded.
  const std::string clean = clean_text(raw.substr(0, 16 * limit));
  std::string line;
  for (const char letter : clean) {
    const bool is_space = letter == ' ' || letter == '\n' || letter == '\t';
    if (!is_space) {
      line += letter;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  if (raw.size() > 16 * limit) line += ellipsis;
  return shorten_utf8(std::move(line), limit);
}

std::string cut_middle(std::string_view text, std::size_t head, std::size_t tail) {
  if (text.size() <= head + tail) return std::string(text);
  const std::size_t head_end = utf8_boundary_before(text, head);
  const std::size_t tail_start = utf8_boundary_before(text, text.size() - tail);
  return fmt::format("{}\n[... {} bytes cut ...]\n{}", text.substr(0, head_end), tail_start - head_end,
                     text.substr(tail_start));
}

std::string_view last_lines(std::string_view text, std::size_t count) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t before = text.size();  // of the lines wanted so far: the newline in front of them
  for (; count > 0; --count) {
    before = before == 0 ? std::string_view::npos : text.rfind('\n', before - 1);
    if (before == std::string_view::npos) return text;
  }
  return text.substr(std::min(before + 1, text.size()));
}

}  // namespace gpucheck
