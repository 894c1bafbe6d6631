#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "replay/formats/pickle/document.hpp"

namespace gpucheck::replay {

/// A walk over one document: how many values it may still look at. Values that a
/// pickle names again and again are visited again and again, so that a small file
/// could hold a walk without end; a walk that looks at more than twice what the file holds
/// is rejected.
class Walk {
 public:
  explicit Walk(const Document& document) noexcept
      : document_(document), left_(2 * std::uint64_t{document.value_count()} + 1024) {}
  [[nodiscard]] const Document& document() const noexcept { return document_; }
  [[nodiscard]] bool spend(std::uint64_t values) noexcept {
    if (values > left_) return false;
    left_ -= values;
    return true;
  }

 private:
  const Document& document_;
  std::uint64_t left_;
};

/// One value and the way that led to it. A view: the walk and the cursor it came from
/// must outlive it. Every reading throws FileError, with offset and path, where the
/// value is not what is asked for.
class Cursor {
 public:
  explicit Cursor(Walk& walk) noexcept : walk_(&walk), value_(walk.document().root()) {}

  [[nodiscard]] Kind kind() const noexcept { return value_.kind; }
  [[nodiscard]] bool is_list() const noexcept { return kind() == Kind::list || kind() == Kind::tuple; }
  [[nodiscard]] bool is_dictionary() const noexcept { return kind() == Kind::dictionary; }
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }
  /// Whether `as_handle` would give a number.
  [[nodiscard]] bool is_whole() const noexcept {
    return kind() == Kind::signed_integer || kind() == Kind::unsigned_integer;
  }
  [[nodiscard]] std::uint64_t as_unsigned() const {
    const bool negative = kind() == Kind::signed_integer && std::bit_cast<std::int64_t>(value_.bits) < 0;
    if (negative || !is_whole()) fail("expected a whole number, 0 or more");
    return value_.bits;
  }
  [[nodiscard]] std::uint64_t as_unsigned_below(std::uint64_t end) const {
    const std::uint64_t number = as_unsigned();
    if (number >= end) fail_above(end, number);
    return number;
  }
  [[nodiscard]] std::int64_t as_signed() const {
    if (kind() != Kind::signed_integer) fail("expected a whole number of at most 64 bits, signed");
    return std::bit_cast<std::int64_t>(value_.bits);
  }
  /// A handle: any integer, negative ones as the unsigned number of the same bits.
  [[nodiscard]] std::uint64_t as_handle() const {
    if (!is_whole()) fail("expected a whole number");
    return value_.bits;
  }
  /// A signed number, also where it was written as the unsigned one of the same bits: -1 as 2^64-1.
  [[nodiscard]] std::int64_t as_wrapped() const { return std::bit_cast<std::int64_t>(as_handle()); }
  /// Any number.
  [[nodiscard]] double as_double() const;
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::string_view as_string() const;

  /// The same of a text that is copied wherever a file names it, so that it has to be short.
  [[nodiscard]] std::string_view as_short_string(std::size_t longest) const {
    const std::string_view text = as_string();
    if (text.size() > longest) fail_longer(longest, text.size());
    return text;
  }

  /// Items of a list, where that is known beforehand; else 0.
  [[nodiscard]] std::size_t count_hint() const noexcept { return is_list() ? walk_->document().count(value_) : 0; }
  /// The first item of a list, if any.
  [[nodiscard]] std::optional<Cursor> first_item() const;
  /// Calls `visit(Cursor)` for each item of a list.
  template <typename Visit>
  void for_each_item(Visit&& visit) const {
    if (!is_list()) fail("expected a list");
    std::uint64_t index = 0;
    walk_->document().for_each_run(value_, [&](std::span<const Value> run) {
      spend(run.size());
      for (const Value& value : run) visit(Cursor(*this, value, {}, index++));
    });
  }
  /// Calls `visit(std::int64_t)` for each item of a list of whole numbers.
  template <typename Visit>
  void for_each_signed(Visit&& visit) const {
    for_each_item([&](const Cursor& item) { visit(item.as_signed()); });
  }
  /// Calls `visit(std::string_view key, Cursor)` for each field of a dictionary, until one
  /// returns true where it returns something.
  template <typename Visit>
  void for_each_field(Visit&& visit) const {
    if (!is_dictionary()) fail("expected a dictionary");
    bool found = false;
    walk_->document().for_each_run(value_, [&](std::span<const Value> run) {
      spend(run.size());
      for (std::size_t i = 0; i < run.size() && !found; i += 2) {
        const std::string_view key = key_text(run[i]);
        const Cursor value(*this, run[i + 1], key, 0);
        if constexpr (std::is_same_v<decltype(visit(key, value)), bool>) {
          found = visit(key, value);
        } else {
          visit(key, value);
        }
      }
    });
  }

  /// Identifies a container: the same number wherever this container is named again.
  [[nodiscard]] std::uint64_t identity() const noexcept { return value_.bits; }

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  Cursor(const Cursor& parent, const Value& value, std::string_view key, std::uint64_t index) noexcept
      : walk_(parent.walk_), parent_(&parent), value_(value), key_(key), index_(index) {}
  [[noreturn]] void fail_longer(std::size_t longest, std::size_t length) const;
  [[noreturn]] void fail_above(std::uint64_t end, std::uint64_t number) const;
  void spend(std::uint64_t values) const {
    if (!walk_->spend(values)) reject_unfolding();
  }
  [[noreturn]] void reject_unfolding() const;
  [[nodiscard]] std::string_view key_text(const Value& key) const {
    if (key.kind != Kind::string) fail("expected keys that are texts");
    return walk_->document().text(key);
  }
  [[nodiscard]] std::string path() const;

  Walk* walk_;
  const Cursor* parent_ = nullptr;
  Value value_;
  std::string_view key_;
  std::uint64_t index_ = 0;
};

}  // namespace gpucheck::replay
