#include "replay/formats/json/json_text.hpp"

#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "base/text/utf8.hpp"
#include "replay/formats/bytes/file_error.hpp"

namespace gpucheck::replay {

namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0U | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0U | code >> 12);
    put(0x80U | (code >> 6 & 0x3fU));
  } else {
    put(0xf0U | code >> 18);
    put(0x80U | (code >> 12 & 0x3fU));
    put(0x80U | (code >> 6 & 0x3fU));
  }
  put(0x80U | (code & 0x3fU));
}

constexpr std::string_view escapes = "\"\\/bfnrt";
constexpr std::string_view escaped_characters = "\"\\/\b\f\n\r\t";

bool is_leading_surrogate(std::uint32_t unit) noexcept { return unit >= 0xd800 && unit < 0xdc00; }
bool is_trailing_surrogate(std::uint32_t unit) noexcept { return unit >= 0xdc00 && unit < 0xe000; }

}  // namespace

JsonText::JsonText(const FileBytes& file, const ReadLimits& limits) : file_(file), depth_limit_(limits.depth) {}

void JsonText::fail(const char* at, std::string_view problem) const {
  const std::uint64_t place = std::min<std::uint64_t>(offset(at), file_.size);
  const std::string_view what = place == file_.size ? "the text ends too early" : problem;
  throw FileError(file_.name, place, "", fmt::format("not valid JSON: {}", what));
}

void JsonText::expect_end(const char* at) const {
  at = past_space(at);
  if (offset(at) < file_.size) fail(at, "something follows the end");
}

void JsonText::expect_depth(const char* at, std::size_t depth) const {
  if (depth >= depth_limit_) fail(at, fmt::format("more than {} containers inside each other", depth_limit_));
}

// -- texts ----------------------------------------------------------------------------

/// The rest of a text, from an interruption on that is not a quote.
JsonText::Text JsonText::interrupted_text(const char* start, const char* at) const {
  bool has_escapes = false;
  for (;;) {
    const std::uint64_t found = byte_scan::interruptions(load<std::uint64_t>(at));
    at += found == 0 ? 8 : std::countr_zero(found) / 8;
    if (found == 0) continue;
    if (*at == '"') return {{start, static_cast<std::size_t>(at - start)}, at + 1, has_escapes};
    has_escapes = has_escapes || *at == '\\';
    at = *at == '\\' ? past_escape(at) : past_character(at);
  }
}

const char* JsonText::past_colon(const char* at) const {
  at = past_space(at);
  if (*at != ':') fail(at, "expected a colon");
  return past_space(at + 1);
}

/// A character of more than one byte. Where the text ends inside one, the padding after
/// it is not part of a character.
const char* JsonText::past_character(const char* at) const {
  if (static_cast<std::uint8_t>(*at) < 0x20) fail(at, "a control character in a text");
  const Utf8Character character = first_utf8_character({at, 4});
  // Half of a surrogate pair, as pickles have it too: Python's way with file names that are not UTF-8.
  const bool is_surrogate = at[0] == '\xed' && in_range(at[1], 0xa0, 0xbf) && in_range(at[2], 0x80, 0xbf);
  if (is_surrogate) return at + 3;
  if (!character.valid) fail(at, "not UTF-8");
  return at + character.length;
}

std::uint32_t JsonText::hexadecimal(const char* at) const {
  std::uint32_t value = 0;
  const auto [end, problem] = std::from_chars(at, at + 4, value, 16);
  if (problem != std::errc{} || end != at + 4) fail(at, "expected four hexadecimal digits");
  return value;
}

const char* JsonText::past_escape(const char* at) const {
  if (at[1] != 'u') {
    if (escapes.find(at[1]) == std::string_view::npos) fail(at + 1, "no such escape");
    return at + 2;
  }
  const std::uint32_t unit = hexadecimal(at + 2);
  const bool may_be_pair = is_leading_surrogate(unit) && at[6] == '\\' && at[7] == 'u';
  return may_be_pair && is_trailing_surrogate(hexadecimal(at + 8)) ? at + 12 : at + 6;
}

void JsonText::decode_escape(const char*& at, std::string& out) const {
  const char* const end = past_escape(at);
  if (at[1] != 'u') {
    out += escaped_characters[escapes.find(at[1])];
  } else {
    std::uint32_t code = hexadecimal(at + 2);
    if (end - at == 12) code = 0x10000 + ((code & 0x3ffU) << 10) + (hexadecimal(at + 8) & 0x3ffU);
    append_utf8(code, out);
  }
  at = end;
}

std::string_view JsonText::decoded(std::string_view escaped) {
  std::string& out = decoded_.emplace_back();
  const char* const end = escaped.data() + escaped.size();
  for (const char* at = escaped.data(); at < end;) {
    if (*at == '\\') {
      decode_escape(at, out);
    } else {
      out += *at++;
    }
  }
  return out;
}

// -- numbers and words ----------------------------------------------------------------

JsonText::Integer JsonText::long_integer(const char* first, bool is_negative) noexcept {
  Integer result{0, is_negative, first};
  while (is_digit(*result.end)) ++result.end;
  const auto [end, problem] = std::from_chars(first, result.end, result.magnitude);
  if (problem != std::errc{} || *first == '0' || continues_number(*end)) return {};
  return result;
}

std::string_view JsonText::not_finite(const char* at) noexcept {
  for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
    if (std::string_view(at, strnlen(at, word.size())) == word) return word;
  }
  return {};
}

double JsonText::as_double(const char* at) const {
  if (const std::string_view word = not_finite(at); !word.empty()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return word == "NaN" ? std::numeric_limits<double>::quiet_NaN() : word == "Infinity" ? infinity : -infinity;
  }
  double number = 0;
  const auto [end, problem] = std::from_chars(at, past_number(at), number);
  if (problem != std::errc{}) fail(at, "a number beyond what a double holds");
  return number;
}

const char* JsonText::past_digits(const char* at) const {
  if (!is_digit(*at)) fail(at, "expected a digit");
  while (is_digit(*at)) ++at;
  return at;
}

const char* JsonText::past_number(const char* at) const {
  if (*at == '-') ++at;
  at = *at == '0' ? at + 1 : past_digits(at);
  if (*at == '.') at = past_digits(at + 1);
  if (*at == 'e' || *at == 'E') {
    ++at;
    if (*at == '+' || *at == '-') ++at;
    at = past_digits(at);
  }
  return at;
}

const char* JsonText::past_word(const char* at, std::string_view word) const {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (at[i] != word[i]) fail(at, "expected a value");
  }
  return at + word.size();
}

// -- whole values ---------------------------------------------------------------------

const char* JsonText::past_scalar(const char* at) const {
  switch (*at) {
    case '"':
      return text(at).end;
    case 't':
      return past_word(at, "true");
    case 'f':
      return past_word(at, "false");
    case 'n':
      return past_word(at, "null");
    default:
      if (is_digit(*at)) return past_number(at);
      if (const std::string_view word = not_finite(at); !word.empty()) return at + word.size();
      if (*at != '-') fail(at, "expected a value");
      return past_number(at);
  }
}

const char* JsonText::past_value(const char* at, std::size_t depth) {
  closers_.clear();
  do {
    at = *at == '{' || *at == '[' ? open(at, depth) : past_closed(past_scalar(at));
  } while (!closers_.empty());
  return at;
}

/// Enters a container; what follows is its first value, or what comes after it when it
/// has none.
const char* JsonText::open(const char* at, std::size_t depth) {
  expect_depth(at, depth + closers_.size());
  const char closer = *at == '{' ? '}' : ']';
  closers_.push_back(closer);
  at = past_space(at + 1);
  if (*at == closer) {
    closers_.pop_back();
    return past_closed(at + 1);
  }
  return closer == '}' ? past_colon(text(at).end) : at;
}

/// A value has ended: leaves every container that ends here too, up to the next value.
const char* JsonText::past_closed(const char* at) {
  while (!closers_.empty()) {
    at = past_space(at);
    if (*at == ',') {
      at = past_space(at + 1);
      return closers_.back() == '}' ? past_colon(text(at).end) : at;
    }
    if (*at != closers_.back()) fail(at, closers_.back() == '}' ? "expected , or }" : "expected , or ]");
    closers_.pop_back();
    ++at;
  }
  return at;
}

bool JsonText::stands_at(const char* at, std::string_view text) const noexcept {
  // A container's text shows its own end: nothing longer begins with it.
  return text.size() <= file_.size - offset(at) && std::memcmp(at, text.data(), text.size()) == 0;
}

JsonText::Repeated JsonText::past_repeated(const char* at, std::size_t depth) {
  constexpr std::size_t worth_knowing = 64;
  if (!known_.empty()) {
    for (const std::uint32_t number : {known_[last_known_].next, last_known_}) {
      const std::string_view text = known_[number].text;
      if (!stands_at(at, text)) continue;
      last_known_ = known_[last_known_].next = number;
      return {text.data(), at + text.size()};
    }
  }
  const char* const end = past_value(at, depth);
  const std::string_view text(at, static_cast<std::size_t>(end - at));
  if ((*at != '[' && *at != '{') || text.size() < worth_knowing) return {at, end};
  const auto [entry, is_new] = known_numbers_.try_emplace(text, static_cast<std::uint32_t>(known_.size()));
  if (is_new) known_.push_back({text});
  last_known_ = known_[last_known_].next = entry->second;
  return {entry->first.data(), end};
}

}  // namespace gpucheck::replay
