#include "site/description.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text/duration.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "base/toml/toml_document.hpp"
#include "harness/case/case_name.hpp"
#include "site/run_program.hpp"

namespace gpucheck::site {
namespace {

using harness::Case;
using harness::Fault;
using harness::Needs;
using harness::Parameter;
using Kind = TomlValue::Kind;

constexpr std::int64_t most_devices = 1024;

/// Where a value stands, and what it says of itself.
class Place {
 public:
  Place(const std::string& path, const TomlValue& value) : path_(path), value_(value) {}

  [[nodiscard]] const TomlValue& value() const noexcept { return value_; }
  [[nodiscard]] Place of(const TomlValue& other) const { return {path_, other}; }

  [[noreturn]] void fail(std::string_view what) const {
    throw UsageError(fmt::format("{}:{}:{}: {}", path_, value_.line, value_.column, what));
  }

  [[nodiscard]] const TomlValue& expect(Kind kind, std::string_view expected) const {
    if (value_.kind != kind) {
      fail(fmt::format("\"{}\" must be {}, and is {}", one_line(value_.key, 80), expected, kind_text(value_.kind)));
    }
    return value_;
  }

  /// One line of it.
  [[nodiscard]] std::string text() const {
    const std::string& text = expect(Kind::text, "text").text;
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (text.empty()) fail(fmt::format("\"{}\" is empty", one_line(value_.key, 80)));
    if (std::ranges::any_of(text, is_control)) {
      fail(fmt::format("\"{}\" must be one line without control characters", one_line(value_.key, 80)));
    }
    return text;
  }

  [[nodiscard]] bool truth() const { return expect(Kind::truth, "true or false").text == "true"; }

  [[nodiscard]] std::int64_t whole_number(std::int64_t minimum, std::int64_t maximum) const {
    const std::string expected = fmt::format("a whole number from {} to {}", minimum, maximum);
    const std::int64_t number = std::stoll(expect(Kind::whole_number, expected).text);
    if (number < minimum || number > maximum) {
      fail(fmt::format("\"{}\" must be {}, and is {}", value_.key, expected, number));
    }
    return number;
  }

  [[nodiscard]] double number() const {
    if (value_.kind != Kind::whole_number) static_cast<void>(expect(Kind::number, "a number"));
    const double number = std::stod(value_.text);
    if (!std::isfinite(number)) fail(fmt::format("\"{}\" must be a finite number", value_.key));
    return number;
  }

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const TomlValue& element : expect(Kind::list, "a list of texts").elements) {
      TomlValue named = element;
      named.key = value_.key;
      texts.push_back(of(named).text());
    }
    if (texts.empty()) fail(fmt::format("\"{}\" is an empty list", value_.key));
    return texts;
  }

 private:
  const std::string& path_;
  const TomlValue& value_;
};

/// A key of a table, and what it means for the thing that the table describes.
template <typename Target>
struct Key {
  std::string_view name;
  void (*read)(const Place&, Target&);
  bool is_required = false;
};

/// @param of what the table describes, for messages: "a case", "a parameter".
template <typename Target>
void read_table(const Place& table, std::string_view of, std::span<const Key<Target>> keys, Target& target) {
  std::vector<std::string_view> names;
  for (const Key<Target>& key : keys) names.push_back(key.name);
  for (const TomlValue& member : table.expect(Kind::table, "a table").elements) {
    const Place place = table.of(member);
    const auto found = std::ranges::find(keys, member.key, &Key<Target>::name);
    if (found == keys.end()) {
      place.fail(
          fmt::format("{} has no \"{}\"; it can have: {}", of, one_line(member.key, 80), fmt::join(names, ", ")));
    }
    found->read(place, target);
  }
  for (const Key<Target>& key : keys) {
    const bool is_there =
        std::ranges::find(table.value().elements, key.name, &TomlValue::key) != table.value().elements.end();
    if (key.is_required && !is_there) table.fail(fmt::format("{} must have \"{}\"", of, key.name));
  }
}

// ---- needs ---------------------------------------------------------------------------------

std::uint64_t bytes_at(const Place& place) {
  if (place.value().kind == Kind::whole_number) {
    return static_cast<std::uint64_t>(place.whole_number(1, std::numeric_limits<std::int64_t>::max()));
  }
  const std::string text = place.expect(Kind::text, "a number of bytes, or text such as \"2GiB\"").text;
  try {
    return parse_bytes(text);
  } catch (const UsageError& problem) {
    place.fail(problem.what());
  }
}

double share_at(const Place& place) {
  const double share = place.number();
  if (share < 0 || share > 1) place.fail(fmt::format("\"{}\" must be from 0 to 1", place.value().key));
  return share;
}

/// What a program can need. The others are about gpucheck's own runtime.
constexpr std::array<Key<Needs>, 10> keys_of_needs{{
    {"devices",
     [](const Place& at, Needs& needs) { needs.devices = static_cast<int>(at.whole_number(0, most_devices)); }},
    {"every_device", [](const Place& at, Needs& needs) { needs.every_device = at.truth(); }},
    {"memory_bytes", [](const Place& at, Needs& needs) { needs.memory_bytes = bytes_at(at); }},
    {"memory_fraction", [](const Place& at, Needs& needs) { needs.memory_fraction = share_at(at); }},
    {"libraries", [](const Place& at, Needs& needs) { needs.libraries = at.texts(); }},
    {"exclusive", [](const Place& at, Needs& needs) { needs.exclusive = at.truth(); }},
    {"idle", [](const Place& at, Needs& needs) { needs.idle = at.truth(); }},
    {"host_link", [](const Place& at, Needs& needs) { needs.host_link = at.truth(); }},
    {"own_process", [](const Place& at, Needs& needs) { needs.own_process = at.truth(); }},
    {"simulated_device", [](const Place& at, Needs& needs) { needs.simulated_device = at.truth(); }},
}};

void read_needs(const Place& place, Case& test_case) {
  Needs& needs = test_case.needs;
  read_table<Needs>(place, "[needs]", keys_of_needs, needs);
  const bool asks_of_device = needs.memory_bytes > 0 || needs.memory_fraction > 0 || needs.every_device ||
                              needs.exclusive || needs.idle || needs.simulated_device;
  if (needs.devices == 0 && asks_of_device) {
    place.fail("with \"devices = 0\" there is no device of which it can need anything: leave that out, or give it one");
  }
}

// ---- parameters ------------------------------------------------------------------------------

/// A parameter as it is read; its default decides of which type the rest must be.
struct ReadParameter {
  Parameter parameter = {};
  const TomlValue* default_value = nullptr;
};

void read_default(const Place& place, ReadParameter& target) {
  target.default_value = &place.value();
  harness::ParameterValue& value = target.parameter.default_value;
  switch (place.value().kind) {
    case Kind::truth:
      value = place.truth();
      return;
    case Kind::whole_number:
      value = std::int64_t{std::stoll(place.value().text)};
      return;
    case Kind::number:
      value = place.number();
      return;
    default:
      value = place.expect(Kind::text, "true or false, a number, or text").text;
  }
}

constexpr std::array<Key<ReadParameter>, 6> keys_of_parameter{{
    {"summary", [](const Place& at, ReadParameter& target) { target.parameter.summary = at.text(); }, true},
    {"default", read_default, true},
    {"unit", [](const Place& at, ReadParameter& target) { target.parameter.unit = at.text(); }},
    {"minimum", [](const Place& at, ReadParameter& target) { target.parameter.minimum = at.number(); }},
    {"maximum", [](const Place& at, ReadParameter& target) { target.parameter.maximum = at.number(); }},
    {"choices", [](const Place& at, ReadParameter& target) { target.parameter.choices = at.texts(); }},
}};

void check_range(const Place& place, const Parameter& parameter) {
  const bool is_text = std::holds_alternative<std::string>(parameter.default_value);
  const bool is_truth = std::holds_alternative<bool>(parameter.default_value);
  if ((is_text || is_truth) && (parameter.minimum || parameter.maximum)) {
    place.fail(
        fmt::format("\"{}\" is not a number by its default, so that it has no minimum or maximum", parameter.name));
  }
  if (!is_text && !parameter.choices.empty()) {
    place.fail(fmt::format("\"{}\" is not text by its default, so that it has no choices", parameter.name));
  }
  if (parameter.minimum && parameter.maximum && *parameter.minimum > *parameter.maximum) {
    place.fail(fmt::format("\"{}\" has a minimum above its maximum: nothing lies between them", parameter.name));
  }
}

void check_default(const Place& place, const Parameter& parameter) {
  try {
    static_cast<void>(parameter.parse(harness::to_text(parameter.default_value)));
  } catch (const UsageError& problem) {
    place.fail(fmt::format("the default is not a value that is allowed: {}", problem.what()));
  }
}

void check_word(const Place& place, std::string_view what) {
  if (harness::is_word(place.value().key)) return;
  place.fail(fmt::format("\"{}\" cannot be the name of {}: write it with a-z, 0-9 and _",
                         one_line(place.value().key, 80), what));
}

void read_parameters(const Place& place, Case& test_case) {
  for (const TomlValue& member : place.expect(Kind::table, "a table with a table for each parameter").elements) {
    const Place at = place.of(member);
    check_word(at, "a parameter");
    ReadParameter target;
    target.parameter.name = member.key;
    read_table<ReadParameter>(at, "a parameter", keys_of_parameter, target);
    check_range(at, target.parameter);
    check_default(at.of(*target.default_value), target.parameter);
    test_case.parameters.push_back(std::move(target.parameter));
  }
}

// ---- faults ------------------------------------------------------------------------------------

constexpr std::array<Key<Fault>, 1> keys_of_fault{{
    {"summary", [](const Place& at, Fault& fault) { fault.summary = at.text(); }, true},
}};

void read_faults(const Place& place, Case& test_case) {
  for (const TomlValue& member : place.expect(Kind::table, "a table with a table for each fault").elements) {
    const Place at = place.of(member);
    check_word(at, "a fault");
    Fault& fault = test_case.faults.emplace_back();
    fault.name = member.key;
    read_table<Fault>(at, "a fault", keys_of_fault, fault);
  }
}

// ---- the case ------------------------------------------------------------------------------------

void read_name(const Place& place, Case& test_case) {
  test_case.name = place.text();
  if (harness::is_case_name(test_case.name) && test_case.name.size() <= longest_name) return;
  place.fail(
      fmt::format("\"{}\" cannot be the name of a case: write \"group.case\" with a-z, 0-9 and _, at most {} "
                  "characters, for example \"site.scratch_space\"",
                  one_line(test_case.name, 80), longest_name));
}

void read_program(const Place& place, Case& test_case) {
  const std::string file = place.text();
  if (file.find('/') != std::string::npos || file == "." || file == "..") {
    place.fail(fmt::format("the program \"{}\" must be a file in the folder of this description, named without a path",
                           one_line(file, 80)));
  }
  test_case.program.emplace().file = file;
}

void read_deadline(const Place& place, Case& test_case) {
  const std::string text = place.expect(Kind::text, "text such as \"10s\"").text;
  try {
    test_case.deadline = parse_duration(text);
  } catch (const UsageError& problem) {
    place.fail(problem.what());
  }
}

void read_schema(const Place& place, Case& /*test_case*/) {
  constexpr std::string_view name = "gpucheck.site_case/1";
  if (place.value().kind == Kind::text && place.value().text == name) return;
  place.fail(fmt::format("\"schema\" must be \"{}\": another version of gpucheck reads this file", name));
}

constexpr std::array<Key<Case>, 10> keys_of_case{{
    {"schema", read_schema},
    {"name", read_name, true},
    {"summary", [](const Place& at, Case& test_case) { test_case.summary = at.text(); }, true},
    {"source", [](const Place& at, Case& test_case) { test_case.source = at.text(); }},
    {"program", read_program, true},
    {"deadline", read_deadline},
    {"on_request", [](const Place& at, Case& test_case) { test_case.on_request = at.truth(); }},
    {"needs", read_needs},
    {"parameters", read_parameters},
    {"faults", read_faults},
}};

}  // namespace

Case parse_description(std::string_view text, const std::string& path) {
  TomlValue document = parse_toml(text, path);
  // The document itself stands nowhere: what it lacks is said of its first line.
  document.line = std::max(document.line, 1);
  document.column = std::max(document.column, 1);
  Case test_case{.name = {}, .summary = {}, .source = "the site's own", .run = run_program};
  read_table<Case>(Place(path, document), "a case", keys_of_case, test_case);
  return test_case;
}

}  // namespace gpucheck::site
