#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "replay/formats/json/json_text.hpp"

namespace gpucheck::replay {

/// One value of a JSON text and the way that led to it: what `Cursor` is for a document.
/// The value is read when it is asked for; one that is never asked for is passed over,
/// and checked, when its container goes on to the next. A copy can be asked later.
class JsonCursor {
 public:
  explicit JsonCursor(JsonText& text) noexcept : text_(&text), at_(text.start()) {}

  [[nodiscard]] bool is_list() const noexcept { return *at_ == '['; }
  [[nodiscard]] bool is_dictionary() const noexcept { return *at_ == '{'; }
  [[nodiscard]] bool is_null() const noexcept { return *at_ == 'n'; }
  /// Whether `as_handle` would give a number.
  [[nodiscard]] bool is_whole() const noexcept {
    const JsonText::Integer number = JsonText::integer(at_);
    return *at_ == '-' ? fits_signed(number) : number.end != nullptr;
  }
  [[nodiscard]] std::uint64_t as_unsigned() const {
    const JsonText::Integer number = JsonText::integer(at_);
    if (number.end == nullptr || (number.is_negative && number.magnitude != 0)) fail(expected_unsigned);
    end_ = number.end;
    return number.magnitude;
  }
  [[nodiscard]] std::uint64_t as_unsigned_below(std::uint64_t end) const {
    const std::uint64_t number = as_unsigned();
    if (number >= end) fail_above(end, number);
    return number;
  }
  [[nodiscard]] std::int64_t as_signed() const {
    const JsonText::Integer number = JsonText::integer(at_);
    if (!fits_signed(number)) fail(expected_signed);
    end_ = number.end;
    return signed_value(number);
  }
  /// A handle: any integer, negative ones as the unsigned number of the same bits.
  [[nodiscard]] std::uint64_t as_handle() const {
    return *at_ == '-' ? std::bit_cast<std::uint64_t>(as_signed()) : as_unsigned();
  }
  /// A signed number, also where it was written as the unsigned one of the same bits: -1 as 2^64-1.
  [[nodiscard]] std::int64_t as_wrapped() const { return std::bit_cast<std::int64_t>(as_handle()); }
  /// Any number.
  [[nodiscard]] double as_double() const;
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::string_view as_string() const {
    if (*at_ != '"') fail("expected a text");
    const JsonText::Text found = text_->text(at_);
    end_ = found.end;
    return found.has_escapes ? text_->decoded(found.text) : found.text;
  }

  /// The same of a text that is copied wherever a file names it, so that it has to be short.
  [[nodiscard]] std::string_view as_short_string(std::size_t longest) const {
    const std::string_view text = as_string();
    if (text.size() > longest) fail_longer(longest, text.size());
    return text;
  }

  [[nodiscard]] static std::size_t count_hint() noexcept { return 0; }
  /// The first item of a list, if any.
  [[nodiscard]] std::optional<JsonCursor> first_item() const {
    const char* const at = JsonText::past_space(at_ + 1);
    return is_list() && *at != ']' ? std::optional(JsonCursor(*this, at, {}, 0)) : std::nullopt;
  }
  /// Calls `visit(JsonCursor)` for each item of a list.
  template <typename Visit>
  void for_each_item(Visit&& visit) const {
    if (!is_list()) fail("expected a list");
    std::uint64_t index = 0;
    for (const char* at = enter(']'); at != nullptr;) {
      const JsonCursor item(*this, at, {}, index++);
      visit(item);
      at = next(item.end(), ']');
    }
  }
  /// Calls `visit(std::int64_t)` for each item of a list of whole numbers.
  template <typename Visit>
  void for_each_signed(Visit&& visit) const {
    if (!is_list()) fail("expected a list");
    std::uint64_t index = 0;
    for (const char* at = enter(']'); at != nullptr; ++index) {
      const JsonText::Integer number = JsonText::integer(at);
      if (!fits_signed(number)) JsonCursor(*this, at, {}, index).fail(expected_signed);
      visit(signed_value(number));
      at = next(number.end, ']');
    }
  }
  /// Calls `visit(std::string_view key, JsonCursor)` for each field of a dictionary, until
  /// one returns true where it returns something.
  template <typename Visit>
  void for_each_field(Visit&& visit) const {
    if (!is_dictionary()) fail("expected a dictionary");
    for (const char* at = enter('}'); at != nullptr;) {
      const JsonText::Text key = text_->key(at);
      const JsonCursor value(*this, key.end, key.text, 0);
      if constexpr (std::is_same_v<decltype(visit(key.text, value)), bool>) {
        if (visit(key.text, value)) return;
      } else {
        visit(key.text, value);
      }
      at = next(value.end(), '}');
    }
  }

  /// Identifies a container: the same number where the same text stands again, as far as that
  /// was noticed.
  [[nodiscard]] std::uint64_t identity() const {
    const JsonText::Repeated found = text_->past_repeated(at_, depth_);
    end_ = found.end;
    return text_->offset(found.first);
  }

  /// Where the value ends.
  [[nodiscard]] const char* end() const { return end_ != nullptr ? end_ : text_->past_value(at_, depth_); }
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  static constexpr std::string_view expected_unsigned = "expected a whole number, 0 or more";
  static constexpr std::string_view expected_signed = "expected a whole number of at most 64 bits, signed";

  JsonCursor(const JsonCursor& parent, const char* at, std::string_view key, std::uint64_t index) noexcept
      : text_(parent.text_), parent_(&parent), at_(at), key_(key), index_(index), depth_(parent.depth_ + 1) {}
  [[nodiscard]] static bool fits_signed(const JsonText::Integer& number) noexcept {
    return number.end != nullptr && number.magnitude <= std::uint64_t{INT64_MAX} + (number.is_negative ? 1 : 0);
  }
  [[nodiscard]] static std::int64_t signed_value(const JsonText::Integer& number) noexcept {
    return std::bit_cast<std::int64_t>(number.is_negative ? 0 - number.magnitude : number.magnitude);
  }
  /// The first value or key of the container; null when it has none.
  [[nodiscard]] const char* enter(char closer) const {
    text_->expect_depth(at_, depth_);
    const char* const at = JsonText::past_space(at_ + 1);
    if (*at != closer) return at;
    end_ = at + 1;
    return nullptr;
  }
  /// The one after a value that ends at `at`; null after the last.
  [[nodiscard]] const char* next(const char* at, char closer) const {
    at = JsonText::past_space(at);
    if (*at == ',') return JsonText::past_space(at + 1);
    if (*at != closer) text_->fail(at, closer == '}' ? "expected , or }" : "expected , or ]");
    end_ = at + 1;
    return nullptr;
  }
  [[noreturn]] void fail_longer(std::size_t longest, std::size_t length) const;
  [[noreturn]] void fail_above(std::uint64_t end, std::uint64_t number) const;
  [[nodiscard]] std::string path() const;

  JsonText* text_;
  const JsonCursor* parent_ = nullptr;
  const char* at_;
  mutable const char* end_ = nullptr;  ///< once it is known
  std::string_view key_;
  std::uint64_t index_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace gpucheck::replay
