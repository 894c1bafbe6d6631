#include "replay/cursor.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "replay/file_error.hpp"

namespace gpucheck::replay {

std::uint64_t Cursor::as_unsigned() const {
  const bool negative = kind() == Kind::signed_integer && std::bit_cast<std::int64_t>(value_.bits) < 0;
  if (negative || (kind() != Kind::signed_integer && kind() != Kind::unsigned_integer)) {
    fail("expected a whole number, 0 or more");
  }
  return value_.bits;
}

std::uint64_t Cursor::as_unsigned_below(std::uint64_t end) const {
  const std::uint64_t number = as_unsigned();
  if (number >= end) fail(fmt::format("expected a whole number below {}, found {}", end, number));
  return number;
}

std::int64_t Cursor::as_signed() const {
  if (kind() != Kind::signed_integer) fail("expected a whole number of at most 64 bits, signed");
  return std::bit_cast<std::int64_t>(value_.bits);
}

std::uint64_t Cursor::as_handle() const {
  if (kind() != Kind::signed_integer && kind() != Kind::unsigned_integer) fail("expected a whole number");
  return value_.bits;
}

double Cursor::as_real() const {
  switch (kind()) {
    case Kind::real:
      return std::bit_cast<double>(value_.bits);
    case Kind::signed_integer:
      return static_cast<double>(std::bit_cast<std::int64_t>(value_.bits));
    case Kind::unsigned_integer:
      return static_cast<double>(value_.bits);
    default:
      fail("expected a number");
  }
}

bool Cursor::as_boolean() const {
  if (kind() != Kind::boolean) fail("expected true or false");
  return value_.bits != 0;
}

std::string_view Cursor::as_text() const {
  if (kind() != Kind::text) fail("expected a text");
  return walk_->document().text(value_);
}

void Cursor::fail(std::string_view problem) const {
  throw FileError(walk_->document().name(), value_.offset, path(), problem);
}

void Cursor::spend(std::uint64_t values) const {
  if (!walk_->spend(values)) {
    fail(
        "this file names the same lists again and again and would unfold to many times its size; "
        "no snapshot does that, so it is refused");
  }
}

std::string_view Cursor::key_text(const Value& key) const {
  if (key.kind != Kind::text) fail("expected keys that are texts");
  return walk_->document().text(key);
}

std::string Cursor::path() const {
  std::vector<const Cursor*> way;
  for (const Cursor* at = this; at->parent_ != nullptr; at = at->parent_) way.push_back(at);
  std::string path = "$";
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    const Cursor& step = **at;
    if (step.parent_->is_list()) {
      path += fmt::format("[{}]", step.index_);
    } else {
      const std::string quoted = printable(step.key_);
      const bool plain = std::ranges::all_of(
          step.key_, [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
      path += plain ? fmt::format(".{}", step.key_) : fmt::format("[{}]", quoted);
    }
  }
  return path;
}

void FieldSet::need(unsigned field, std::string_view key, const Cursor& dictionary) const {
  if (!has(field)) dictionary.fail(fmt::format("expected a key {}", printable(key)));
}

}  // namespace gpucheck::replay
