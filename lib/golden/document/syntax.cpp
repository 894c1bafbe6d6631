#include "golden/document/syntax.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "golden/document/malformed_golden.hpp"

namespace gpucheck::golden {
namespace {

using nlohmann::json;

constexpr std::size_t max_depth = 8;
constexpr std::size_t max_keys = 10'000;
constexpr std::size_t max_quote_bytes = 80;

std::string printable(std::string_view text) {
  const std::string dumped = json(std::string(text)).dump(-1, ' ', true, json::error_handler_t::replace);
  return dumped.substr(1, dumped.size() - 2);
}

std::string shortened(std::string text) {
  if (text.size() > max_quote_bytes) text.replace(max_quote_bytes - 3, std::string::npos, "...");
  return text;
}

/// Receives the parser's events and keeps track of where it is.
class SyntaxCheck final : public json::json_sax_t {
 public:
  SyntaxCheck(std::string_view text, const std::string& origin) : text_(text), origin_(origin) {}

  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool string(string_t&) override { return scalar(); }
  bool binary(binary_t&) override { return scalar(); }
  bool number_integer(number_integer_t) override { return scalar(); }
  bool number_unsigned(number_unsigned_t number) override {
    if (number > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) reject_integer();
    return scalar();
  }
  // The parser hands over an integer that fits no integer type as a double.
  bool number_float(number_float_t, const string_t& token) override {
    if (token.find_first_of(".eE") == std::string::npos) reject_integer();
    return scalar();
  }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    if (!level.keys.insert(name).second) malformed(origin_, path(), "the key appears twice in its object");
    if (level.keys.size() > max_keys) {
      malformed(origin_, path(), fmt::format("expected an object of at most {} keys", max_keys));
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& problem) override {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw MalformedGolden(fmt::format("{}:{}:{}: not JSON: {}", origin_,
                                      std::count(before.begin(), before.end(), '\n') + 1,
                                      before.size() - line_start + 1, printable(reason(problem.what()))));
  }

 private:
  struct Level {
    std::set<std::string> keys;
    std::string key;
    std::size_t index = 0;
  };

  // "[json.exception.x.101] parse error at line 1, column 2: reason": the first parts are
  // said in our own way.
  static std::string_view reason(std::string_view text) {
    for (const std::string_view prefix : {"] ", ": "}) {
      if (prefix == ": " && !text.starts_with("parse error")) break;
      const std::size_t found = text.find(prefix);
      if (found != std::string_view::npos) text.remove_prefix(found + prefix.size());
    }
    return text;
  }

  [[nodiscard]] std::string path() const {
    std::string text;
    for (const Level& level : levels_) {
      text = child_path(text, level.keys.empty() ? fmt::format("{}", level.index) : level.key);
    }
    return text;
  }

  [[noreturn]] void reject_integer() const {
    malformed(origin_, path(),
              "expected an integer that fits 64 bits with sign; write 1.0e20 for a large floating-point number");
  }

  bool scalar() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  bool open() {
    if (levels_.size() == max_depth)
      malformed(origin_, path(), fmt::format("nested more than {} levels deep", max_depth));
    levels_.emplace_back();
    return true;
  }
  bool close() {
    levels_.pop_back();
    return scalar();
  }

  std::string_view text_;
  const std::string& origin_;
  std::vector<Level> levels_;
};

}  // namespace

void malformed(std::string_view origin, std::string_view place, std::string_view problem) {
  throw MalformedGolden(fmt::format("{}: at {}: {}", origin, place.empty() ? "the top" : place, problem));
}

std::string child_path(std::string_view parent, std::string_view key) {
  std::string step;
  for (const char letter : shortened(printable(key))) {
    step += letter == '~' ? "~0" : letter == '/' ? "~1" : std::string(1, letter);
  }
  return fmt::format("{}/{}", parent, step);
}

std::string quotation(std::string_view text) { return fmt::format("\"{}\"", shortened(printable(text))); }

void check_syntax(std::string_view json_text, const std::string& origin) {
  SyntaxCheck check(json_text, origin);
  json::sax_parse(json_text, &check);
}

}  // namespace gpucheck::golden
