#include "base/text/utf8.hpp"

#include <algorithm>
#include <cstdint>

namespace gpucheck {
namespace {

constexpr std::size_t max_character_bytes = 4;

bool is_continuation(char letter) noexcept { return in_range(letter, 0x80, 0xBF); }

}  // namespace

Utf8Character first_utf8_character(std::string_view text) noexcept {
  const auto lead = static_cast<std::uint8_t>(text[0]);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::uint8_t first = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t last = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (text.size() < 2 || !in_range(text[1], first, last)) return {};
  std::size_t right = 2;
  while (right < std::min(length, text.size()) && is_continuation(text[right])) ++right;
  return {right, right == length};
}

std::string to_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_utf8_character(text);
    valid += character.valid ? text.substr(0, character.length) : replacement_character;
    text.remove_prefix(character.length);
  }
  return valid;
}

std::size_t utf8_boundary_before(std::string_view text, std::size_t at) noexcept {
  for (std::size_t back = 0; back < std::min(at + 1, max_character_bytes); ++back) {
    if (at - back == text.size() || !is_continuation(text[at - back])) return at - back;
  }
  return at;
}

std::size_t utf8_length(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char letter) { return !is_continuation(letter); }));
}

std::string shorten_utf8(std::string text, std::size_t limit) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_continuation(text[at])) continue;
    if (kept == limit) return text.replace(utf8_boundary_before(text, at - 1), std::string::npos, ellipsis);
    ++kept;
  }
  return text;
}

}  // namespace gpucheck
