#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/formats/bytes/file_bytes.hpp"
#include "replay/formats/bytes/foreign_file.hpp"
#include "replay/formats/json/byte_scan.hpp"

namespace gpucheck::replay {

/// The tokens of a JSON text (RFC 8259, UTF-8, and what Python's json module writes besides: a byte order mark, NaN,
/// Infinity and -Infinity, halves of surrogate pairs as in file names that are not UTF-8), read where a cursor asks for
/// them, without a document in between. No library that can be linked statically reads a trace fast enough: for one
/// event Boost.JSON takes 150 ns without keeping anything, RapidJSON 240; here it is 150 ns for the finished trace.
///
/// Places are pointers into the file's bytes, which must outlive it. What nobody asks for
/// is checked all the same. @throws FileError, from everything, with the offset of the
/// byte that is not JSON.
class JsonText {
 public:
  JsonText(const FileBytes& file, const ReadLimits& limits);

  [[nodiscard]] const char* start() const noexcept { return file_.bytes.get() + start_of_json(file_.view()); }
  /// Only white space may follow.
  void expect_end(const char* at) const;
  [[nodiscard]] const std::string& name() const noexcept { return file_.name; }
  [[nodiscard]] std::uint64_t offset(const char* at) const noexcept {
    return static_cast<std::uint64_t>(at - file_.bytes.get());
  }

  [[nodiscard]] static const char* past_space(const char* at) noexcept {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
    return at;
  }

  struct Text {
    std::string_view text;
    const char* end;
    bool has_escapes;
  };
  /// The string whose opening quote is at `at`, as it stands there.
  [[nodiscard]] Text text(const char* at) const {
    if (*at != '"') fail(at, "expected a text in quotes");
    const char* const start = ++at;
    for (;; at += 8) {
      const std::uint64_t found = byte_scan::interruptions(load<std::uint64_t>(at));
      if (found == 0) continue;
      at += std::countr_zero(found) / 8;
      if (*at != '"') return interrupted_text(start, at);
      return {{start, static_cast<std::size_t>(at - start)}, at + 1, false};
    }
  }
  /// What the escapes of such a text mean; the view stays good.
  [[nodiscard]] std::string_view decoded(std::string_view escaped);
  /// The key that begins at `at`, decoded; ends at the value after its colon.
  [[nodiscard]] Text key(const char* at) {
    Text key = text(at);
    if (key.has_escapes) key.text = decoded(key.text);
    key.end = *key.end == ':' ? past_space(key.end + 1) : past_colon(key.end);
    return key;
  }

  struct Integer {
    std::uint64_t magnitude = 0;
    bool is_negative = false;
    const char* end = nullptr;  ///< null: not a whole number of 64 bits
  };
  [[nodiscard]] static Integer integer(const char* at) noexcept {
    Integer result;
    result.is_negative = *at == '-';
    if (result.is_negative) ++at;
    const char* const first = at;
    const byte_scan::Digits digits = byte_scan::read_digits(at);
    // Twenty digits may fit 64 bits, or not.
    if (digits.count > 19) return long_integer(first, result.is_negative);
    const bool leading_zero = *first == '0' && digits.count > 1;
    if (digits.count == 0 || leading_zero || continues_number(*at)) return result;
    result.magnitude = digits.number;
    result.end = at;
    return result;
  }
  [[nodiscard]] double as_double(const char* at) const;
  /// The word at `at` for what no number is written for, with its sign; empty where there is none.
  [[nodiscard]] static std::string_view not_finite(const char* at) noexcept;
  /// True, false or null, in `word`.
  [[nodiscard]] const char* past_word(const char* at, std::string_view word) const;

  /// Where the value at `at` ends, `depth` containers deep.
  [[nodiscard]] const char* past_value(const char* at, std::size_t depth);
  struct Repeated {
    const char* first;  ///< where this very text stood first, as far as that was noticed
    const char* end;
  };
  /// The same for a value that often stands again word for word, as stacks do: such a one
  /// is known by comparing bytes, which is many times faster than reading them.
  [[nodiscard]] Repeated past_repeated(const char* at, std::size_t depth);

  void expect_depth(const char* at, std::size_t depth) const;
  [[noreturn]] void fail(const char* at, std::string_view problem) const;

 private:
  [[nodiscard]] static bool continues_number(char c) noexcept {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E';
  }
  [[nodiscard]] Text interrupted_text(const char* start, const char* at) const;
  [[nodiscard]] static Integer long_integer(const char* first, bool is_negative) noexcept;
  [[nodiscard]] const char* past_colon(const char* at) const;
  [[nodiscard]] const char* past_number(const char* at) const;
  [[nodiscard]] const char* past_digits(const char* at) const;
  [[nodiscard]] const char* past_escape(const char* at) const;
  [[nodiscard]] const char* past_character(const char* at) const;
  [[nodiscard]] std::uint32_t hexadecimal(const char* at) const;
  [[nodiscard]] const char* past_scalar(const char* at) const;
  [[nodiscard]] const char* open(const char* at, std::size_t depth);
  [[nodiscard]] const char* past_closed(const char* at);
  void decode_escape(const char*& at, std::string& out) const;

  struct Known {
    std::string_view text;
    std::uint32_t next = 0;  ///< what followed it last
  };
  [[nodiscard]] bool stands_at(const char* at, std::string_view text) const noexcept;

  const FileBytes& file_;
  std::size_t depth_limit_;
  std::vector<char> closers_;  ///< of the containers that `past_value` has open
  std::deque<std::string> decoded_;
  std::vector<Known> known_;
  std::unordered_map<std::string_view, std::uint32_t> known_numbers_;
  std::uint32_t last_known_ = 0;
};

}  // namespace gpucheck::replay
