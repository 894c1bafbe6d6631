#include "replay/formats/json/json_cursor.hpp"

#include <fmt/format.h>
#include <vector>

#include "replay/formats/bytes/file_error.hpp"

namespace gpucheck::replay {

double JsonCursor::as_double() const {
  const bool is_number = *at_ == '-' || (*at_ >= '0' && *at_ <= '9') || !JsonText::not_finite(at_).empty();
  if (!is_number) fail("expected a number");
  return text_->as_double(at_);
}

bool JsonCursor::as_bool() const {
  if (*at_ != 't' && *at_ != 'f') fail("expected true or false");
  end_ = text_->past_word(at_, *at_ == 't' ? "true" : "false");
  return *at_ == 't';
}

void JsonCursor::fail(std::string_view problem) const {
  static_cast<void>(text_->past_value(at_, depth_));  // what is not even JSON is reported as such
  throw FileError(text_->name(), text_->offset(at_), path(), problem);
}

void JsonCursor::fail_longer(std::size_t longest, std::size_t length) const {
  fail(fmt::format("a text of {} bytes, where at most {} are read", length, longest));
}

void JsonCursor::fail_above(std::uint64_t end, std::uint64_t number) const {
  fail(fmt::format("expected a whole number below {}, found {}", end, number));
}

std::string JsonCursor::path() const {
  std::vector<PathStep> way;
  for (const JsonCursor* step = this; step->parent_ != nullptr; step = step->parent_) {
    way.push_back({step->key_, step->index_, step->parent_->is_list()});
  }
  return path_text(way);
}

}  // namespace gpucheck::replay
