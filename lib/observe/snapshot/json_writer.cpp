#include "observe/snapshot/json_writer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gpucheck::observe::detail {

void JsonWriter::separate() {
  if (needs_comma_) out_.put(", ");
  needs_comma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_.put(bracket);
  needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_.put(bracket);
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  string(name);
  out_.put(": ");
  needs_comma_ = false;
}

void JsonWriter::pair(std::uint64_t first, std::uint64_t second) {
  begin_list();
  unsigned_integer(first);
  unsigned_integer(second);
  end_list();
}

void JsonWriter::string(std::string_view value) {
  separate();
  out_.put(nlohmann::json(value).dump());
}

void JsonWriter::integer(std::int64_t value) {
  separate();
  out_.put(fmt::to_string(value));
}

void JsonWriter::unsigned_integer(std::uint64_t value) {
  separate();
  out_.put(fmt::to_string(value));
}

void JsonWriter::floating_point(double value) {
  separate();
  const std::string digits = fmt::to_string(value);
  out_.put(digits);
  // Without a point, readers would take it for an integer.
  if (digits.find_first_of(".e") == std::string::npos) out_.put(".0");
}

void JsonWriter::boolean(bool value) {
  separate();
  out_.put(value ? "true" : "false");
}

bool JsonWriter::repeat(std::uint32_t number) {
  const auto place = shared_.find(number);
  if (place == shared_.end()) return false;
  separate();
  out_.put(place->second);
  return true;
}

void JsonWriter::begin_shared(std::uint32_t number) {
  separate();
  needs_comma_ = false;
  open_shared_ = number;
  out_.keep();
}

void JsonWriter::end_shared() { shared_.emplace(open_shared_, out_.release_kept()); }

}  // namespace gpucheck::observe::detail
