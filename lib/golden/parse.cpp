#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "golden/content.hpp"
#include "golden/document/node.hpp"
#include "golden/document/syntax.hpp"
#include "harness/case/case_name.hpp"
#include "harness/result/failure_kinds.hpp"

namespace gpucheck::golden {
namespace {

using harness::Value;

Matcher read_range(const Node& node) {
  const std::vector<Node> limits = node.elements();
  if (limits.size() != 2) node.reject("an array of two numbers, [minimum, maximum]");
  Range range{limits[0].number(), limits[1].number()};
  if (!accepts(range, range.minimum)) node.reject("the smaller number first, [minimum, maximum]");
  return range;
}

Matcher read_approximately(const Node& node, const Node& expectation) {
  Approximately matcher;
  matcher.is_array = node.is_array();
  if (matcher.is_array) {
    for (const Node& element : node.elements()) matcher.expected.push_back(element.floating_point());
  } else {
    matcher.expected.push_back(node.floating_point());
  }
  if (const auto relative = expectation.field("rel")) matcher.relative = relative->tolerance();
  if (const auto absolute = expectation.field("abs")) matcher.absolute = absolute->tolerance();
  if (const auto last_places = expectation.field("ulp")) matcher.last_places = last_places->count();
  if (!matcher.relative && !matcher.absolute && !matcher.last_places) {
    node.reject("one of the fields \"rel\", \"abs\" and \"ulp\" beside it, to say how near is near enough");
  }
  return matcher;
}

Matcher read_matches(const Node& node) {
  try {
    return make_matches(node.non_empty_string());
  } catch (const std::invalid_argument& problem) {
    node.reject(fmt::format("a regular expression in RE2's syntax ({})", quotation(problem.what())));
  }
}

Matcher read_one_of(const Node& node) {
  OneOf matcher;
  for (const Node& element : node.elements()) matcher.values.push_back(element.value());
  return matcher;
}

Matcher read_informational(const Node& node) {
  node.require_true();
  return Informational{};
}

Matcher read_limited(const Node& node) {
  if (node.is_string()) return Limited{node.non_empty_string()};
  node.require_true();
  return Limited{};
}

Matcher read_matcher(const Node& expectation) {
  std::vector<std::pair<std::string_view, Node>> present;
  for (const std::string_view name : {"equals", "range", "approx", "matches", "one_of", "informational", "limit"}) {
    if (auto node = expectation.field(name)) present.emplace_back(name, *std::move(node));
  }
  if (present.size() != 1) {
    expectation.reject("exactly one of the fields equals, range, approx, matches, one_of, informational, limit");
  }
  const auto& [name, node] = present.front();
  if (name == "approx") return read_approximately(node, expectation);
  for (const std::string_view tolerance : {"rel", "abs", "ulp"}) {
    if (expectation.field(tolerance)) expectation.field(tolerance)->reject("a tolerance only beside \"approx\"");
  }
  if (name == "range") return read_range(node);
  if (name == "matches") return read_matches(node);
  if (name == "one_of") return read_one_of(node);
  if (name == "informational") return read_informational(node);
  if (name == "limit") return read_limited(node);
  return Equals{node.value()};
}

/// A text, or a list of texts; one that is empty has no kind.
struct IsText {
  template <typename T>
  bool operator()(const std::vector<T>& elements) const {
    return std::is_same_v<T, std::string> || elements.empty();
  }
  template <typename T>
  bool operator()(const T&) const {
    return std::is_same_v<T, std::string>;
  }
};

bool is_text(const Value& value) { return std::visit(IsText{}, value); }

bool is_text(const Matcher& matcher) {
  if (const auto* const equals = std::get_if<Equals>(&matcher)) return is_text(equals->value);
  if (const auto* const one_of = std::get_if<OneOf>(&matcher)) {
    return std::ranges::all_of(one_of->values, [](const Value& value) { return is_text(value); });
  }
  return std::holds_alternative<Matches>(matcher);
}

/// gpucheck's own word counts for its own texts alone: a number that it made up would judge nothing.
std::string read_basis(const Node& expectation, const Matcher& matcher, Unapproved unapproved) {
  const Node node = expectation.required_field("basis");
  if (unapproved == Unapproved::accepted && node.value() == Value(std::string(unapproved_basis))) {
    return std::string(unapproved_basis);
  }
  std::string basis = node.one_of({"seed", "torch", "spec", "math", "vendor", "site", "own"});
  if (basis == "own" && !is_text(matcher)) node.reject("another basis: \"own\" is for gpucheck's own texts");
  return basis;
}

std::string read_failure(const Node& expectation, const Matcher& matcher) {
  const bool limited = std::holds_alternative<Limited>(matcher);
  const auto node = expectation.field("failure");
  const std::string name =
      node ? node->string() : std::string(limited ? harness::unnamed_slowness : harness::unnamed_failure);
  const harness::FailureKind* const kind = harness::find_failure_kind(name);
  if (kind == nullptr || kind->name != name)
    node->reject("the name of a kind of failure (gpucheck explain lists them)");
  return std::string(kind->code);
}

/// Informational keys cannot differ, and a limit says itself where it warns.
bool read_warns(const Node& expectation, const Matcher& matcher) {
  const auto node = expectation.field("warns");
  if (!node) return false;
  node->require_true();
  if (std::holds_alternative<Informational>(matcher) || std::holds_alternative<Limited>(matcher)) {
    node->reject("no \"warns\" beside \"informational\" or \"limit\"");
  }
  return true;
}

Expectation read_expectation(const Node& node, Unapproved unapproved) {
  node.require_object({"equals", "range", "approx", "rel", "abs", "ulp", "matches", "one_of", "informational", "limit",
                       "basis", "failure", "warns", "note", "when"});
  Expectation expectation;
  expectation.matcher = read_matcher(node);
  expectation.basis = read_basis(node, expectation.matcher, unapproved);
  expectation.failure = read_failure(node, expectation.matcher);
  expectation.warns = read_warns(node, expectation.matcher);
  if (const auto note = node.field("note")) expectation.note = note->string();
  if (const auto when = node.field("when")) {
    when->require_object({"device", "allocator"});
    if (const auto device = when->field("device")) expectation.device = device->one_of({"cuda", "sim"});
    if (const auto allocator = when->field("allocator")) {
      expectation.allocator = allocator->one_of({"caching", "async", "library"});
    }
    if (expectation.condition().empty()) when->reject("a \"device\", an \"allocator\" or both");
  }
  return expectation;
}

bool overlap(const std::optional<std::string>& a, const std::optional<std::string>& b) { return !a || !b || *a == *b; }

bool overlap(const Expectation& a, const Expectation& b) {
  return overlap(a.device, b.device) && overlap(a.allocator, b.allocator);
}

Entry read_entry(std::string key, const Node& node, Unapproved unapproved) {
  if (key.empty()) node.reject("a key that is not empty");
  Entry entry{std::move(key), {}};
  for (const Node& alternative : node.is_array() ? node.elements() : std::vector{node}) {
    Expectation expectation = read_expectation(alternative, unapproved);
    for (const Expectation& earlier : entry.alternatives) {
      if (overlap(earlier, expectation)) alternative.reject("a condition (\"when\") that no earlier alternative meets");
    }
    entry.alternatives.push_back(std::move(expectation));
  }
  return entry;
}

}  // namespace

std::string Expectation::condition() const {
  std::string text;
  if (device) text = "on " + *device;
  if (allocator) text += (text.empty() ? "with " : " with ") + *allocator;
  return text;
}

const Expectation* Entry::applicable(const Conditions& conditions) const {
  const auto found = std::find_if(alternatives.begin(), alternatives.end(),
                                  [&](const Expectation& alternative) { return alternative.applies(conditions); });
  return found == alternatives.end() ? nullptr : &*found;
}

const Entry* FileContent::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

FileContent parse_content(std::string_view text, std::string origin, Unapproved unapproved) {
  check_syntax(text, origin);
  const auto document = Node::Json::parse(text);
  const Node root(document, origin);
  root.require_object({"case", "notes", "expect"});
  const Node name = root.required_field("case");
  if (!harness::is_case_name(name.string())) name.reject("a case's name, \"group.case\" in lower case");
  if (const auto notes = root.field("notes")) static_cast<void>(notes->string());

  FileContent content{.origin = {}, .case_name = name.string(), .entries = {}};
  for (auto& [key, node] : root.required_field("expect").fields()) {
    content.entries.push_back(read_entry(key, node, unapproved));
  }
  content.origin = std::move(origin);  // the nodes named it until here
  return content;
}

}  // namespace gpucheck::golden
