#include "replay/formats/pickle/cursor.hpp"

#include <fmt/format.h>
#include <vector>

#include "replay/formats/bytes/file_error.hpp"

namespace gpucheck::replay {

void Cursor::fail_longer(std::size_t longest, std::size_t length) const {
  fail(fmt::format("a text of {} bytes, where at most {} are read", length, longest));
}

void Cursor::fail_above(std::uint64_t end, std::uint64_t number) const {
  fail(fmt::format("expected a whole number below {}, found {}", end, number));
}

double Cursor::as_double() const {
  switch (kind()) {
    case Kind::floating_point:
      return std::bit_cast<double>(value_.bits);
    case Kind::signed_integer:
      return static_cast<double>(std::bit_cast<std::int64_t>(value_.bits));
    case Kind::unsigned_integer:
      return static_cast<double>(value_.bits);
    default:
      fail("expected a number");
  }
}

bool Cursor::as_bool() const {
  if (kind() != Kind::boolean) fail("expected true or false");
  return value_.bits != 0;
}

std::string_view Cursor::as_string() const {
  if (kind() != Kind::string) fail("expected a text");
  return walk_->document().text(value_);
}

std::optional<Cursor> Cursor::first_item() const {
  std::optional<Cursor> first;
  if (!is_list()) return first;
  walk_->document().for_each_run(value_, [&](std::span<const Value> run) {
    if (!first) first = Cursor(*this, run.front(), {}, 0);
  });
  return first;
}

void Cursor::fail(std::string_view problem) const {
  throw FileError(walk_->document().name(), value_.offset, path(), problem);
}

void Cursor::reject_unfolding() const {
  fail(
      "this file names the same lists again and again and would unfold to many times its size; "
      "no snapshot does that, so it is rejected");
}

std::string Cursor::path() const {
  std::vector<PathStep> way;
  for (const Cursor* step = this; step->parent_ != nullptr; step = step->parent_) {
    way.push_back({step->key_, step->index_, step->parent_->is_list()});
  }
  return path_text(way);
}

}  // namespace gpucheck::replay
