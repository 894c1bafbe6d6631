#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "replay/document.hpp"

namespace gpucheck::replay {

/// A walk over one document: how many values it may still look at. Values that a
/// pickle names again and again are visited again and again, so that a small file
/// could hold a walk without end; a walk that looks at more than twice what the file holds
/// is refused.
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
  [[nodiscard]] std::uint64_t as_unsigned() const;
  [[nodiscard]] std::uint64_t as_unsigned_below(std::uint64_t end) const;
  [[nodiscard]] std::int64_t as_signed() const;
  /// A handle: any integer, negative ones as the unsigned number of the same bits.
  [[nodiscard]] std::uint64_t as_handle() const;
  /// Any number.
  [[nodiscard]] double as_real() const;
  [[nodiscard]] bool as_boolean() const;
  [[nodiscard]] std::string_view as_text() const;

  /// Items of a list; 0 for anything else.
  [[nodiscard]] std::size_t item_count() const noexcept { return is_list() ? walk_->document().count(value_) : 0; }
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
  /// Calls `visit(std::string_view key, Cursor)` for each field of a dictionary.
  template <typename Visit>
  void for_each_field(Visit&& visit) const {
    if (kind() != Kind::dictionary) fail("expected a dictionary");
    walk_->document().for_each_run(value_, [&](std::span<const Value> run) {
      spend(run.size());
      for (std::size_t i = 0; i < run.size(); i += 2) {
        const std::string_view key = key_text(run[i]);
        visit(key, Cursor(*this, run[i + 1], key, 0));
      }
    });
  }

  /// Of a container: the same number wherever this container is named again.
  [[nodiscard]] std::uint64_t identity() const noexcept { return value_.bits; }

  [[noreturn]] void fail(std::string_view problem) const;

 private:
  Cursor(const Cursor& parent, const Value& value, std::string_view key, std::uint64_t index) noexcept
      : walk_(parent.walk_), parent_(&parent), value_(value), key_(key), index_(index) {}
  void spend(std::uint64_t values) const;
  [[nodiscard]] std::string_view key_text(const Value& key) const;
  [[nodiscard]] std::string path() const;

  Walk* walk_;
  const Cursor* parent_ = nullptr;
  Value value_;
  std::string_view key_;
  std::uint64_t index_ = 0;
};

/// Which fields of a dictionary have been read: each at most once, the needed ones all.
class FieldSet {
 public:
  /// @throws FileError at the second call with the same `field` (below 32).
  void add(unsigned field, const Cursor& value) {
    const std::uint32_t bit = std::uint32_t{1} << field;
    if ((seen_ & bit) != 0) value.fail("this key stands here twice");
    seen_ |= bit;
  }
  [[nodiscard]] bool has(unsigned field) const noexcept { return (seen_ >> field & 1U) != 0; }
  /// @throws FileError naming `key` when it was not there.
  void need(unsigned field, std::string_view key, const Cursor& dictionary) const;

 private:
  std::uint32_t seen_ = 0;
};

}  // namespace gpucheck::replay
