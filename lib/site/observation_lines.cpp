#include "site/observation_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "golden/document/syntax.hpp"
#include "harness/run/json.hpp"

namespace gpucheck::site {
namespace {

using Json = nlohmann::ordered_json;

/// Whoever reads the line has to find it in the program's own words.
std::string shown_line(std::string_view line) { return fmt::format("\"{}\"", one_line(line, 80)); }

/// As golden files are read: no key twice, and no integer that only a rounded number can hold.
Json object_of(std::string_view line) {
  golden::check_syntax(line, "the line");
  return Json::parse(line);
}

}  // namespace

void ObservationLines::fail(std::string_view what) const {
  throw Error(
      fmt::format("line {} of what the program observed: {}; write one JSON object a line, such as "
                  "{{\"free_bytes\": 1024}}",
                  line_, what));
}

void ObservationLines::read_line(std::string_view line) {
  ++line_;
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  try {
    const Json object = object_of(line);
    if (!object.is_object() || object.empty()) throw Error("it is not an object with an observation in it");
    for (const auto& [key, value] : object.items()) observe_(key, harness::value_from_json(value));
  } catch (const Error& problem) {
    fail(fmt::format("{}: {}", shown_line(line), problem.what()));
  }
}

void ObservationLines::take(std::string_view bytes) {
  bytes_ += bytes.size();
  if (bytes_ > most_bytes) {
    throw Error(
        fmt::format("the program observed more than {}: print what nobody judges to stdout, where only its end "
                    "is kept",
                    format_bytes(most_bytes)));
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    unread_ += bytes.substr(0, end);
    if (unread_.size() > longest_line) {
      ++line_;
      fail(fmt::format("{} is longer than {}", shown_line(unread_), format_bytes(longest_line)));
    }
    if (end == std::string_view::npos) return;
    read_line(std::exchange(unread_, {}));
    bytes.remove_prefix(end + 1);
  }
}

void ObservationLines::finish() {
  if (!unread_.empty()) read_line(std::exchange(unread_, {}));
}

}  // namespace gpucheck::site
