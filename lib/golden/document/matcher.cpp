#include "golden/document/matcher.hpp"

#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <re2/re2.h>
#include <stdexcept>

namespace gpucheck::golden {
namespace {

using harness::Value;

/// Holds every std::int64_t and every double exactly, so that comparing loses nothing.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 63);

std::optional<Number> as_number(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<Number>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return static_cast<Number>(*real);
  return std::nullopt;
}

std::optional<std::vector<Number>> as_numbers(const Value& value) {
  const auto widen = [](const auto& elements) { return std::vector<Number>(elements.begin(), elements.end()); };
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) return widen(*integers);
  if (const auto* reals = std::get_if<std::vector<double>>(&value)) return widen(*reals);
  return std::nullopt;
}

struct IsEmptyArray {
  template <typename Element>
  bool operator()(const std::vector<Element>& elements) const {
    return elements.empty();
  }
  template <typename Scalar>
  bool operator()(const Scalar&) const {
    return false;
  }
};

bool equal(const Value& expected, const Value& seen) {
  if (std::visit(IsEmptyArray{}, expected) && std::visit(IsEmptyArray{}, seen)) return true;
  if (std::holds_alternative<double>(seen)) return as_number(expected) && as_number(expected) == as_number(seen);
  if (std::holds_alternative<std::vector<double>>(seen)) {
    return as_numbers(expected) && as_numbers(expected) == as_numbers(seen);
  }
  return expected == seen;
}

/// Numbers every double in ascending order, so that neighbours differ by one.
std::uint64_t place(double number) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return (bits & sign) != 0 ? sign - (bits & ~sign) : sign + bits;
}

std::uint64_t places_between(double a, double b) {
  return place(a) > place(b) ? place(a) - place(b) : place(b) - place(a);
}

bool is_near(const Approximately& matcher, double expected, Number seen) {
  if (!std::isfinite(seen)) return false;
  const Number distance = std::fabs(seen - static_cast<Number>(expected));
  if (matcher.absolute && distance <= static_cast<Number>(*matcher.absolute)) return true;
  if (matcher.relative && distance <= static_cast<Number>(*matcher.relative) * std::fabs(expected)) return true;
  const auto seen_place = static_cast<double>(seen);  // a whole number beyond 2^53 may lie between two
  return matcher.last_places && static_cast<Number>(seen_place) == seen &&
         places_between(expected, seen_place) <= *matcher.last_places;
}

struct Accepts {
  const Value& seen;

  bool operator()(const Equals& matcher) const { return equal(matcher.value, seen); }
  bool operator()(const Range& matcher) const {
    const std::optional<Number> number = as_number(seen);
    return number && *number >= *as_number(matcher.minimum) && *number <= *as_number(matcher.maximum);
  }
  bool operator()(const Approximately& matcher) const {
    if (!matcher.is_array) return as_number(seen) && is_near(matcher, matcher.expected.front(), *as_number(seen));
    const std::optional<std::vector<Number>> numbers = as_numbers(seen);
    if (std::visit(IsEmptyArray{}, seen)) return matcher.expected.empty();
    return numbers && std::equal(matcher.expected.begin(), matcher.expected.end(), numbers->begin(), numbers->end(),
                                 [&](double expected, Number number) { return is_near(matcher, expected, number); });
  }
  bool operator()(const Matches& matcher) const {
    const auto* text = std::get_if<std::string>(&seen);
    return text != nullptr && re2::RE2::PartialMatch(*text, *matcher.compiled);
  }
  bool operator()(const OneOf& matcher) const {
    return std::any_of(matcher.values.begin(), matcher.values.end(),
                       [this](const Value& value) { return equal(value, seen); });
  }
  bool operator()(const Informational&) const { return true; }
  bool operator()(const Limited&) const { return as_number(seen).has_value(); }
};

std::string number_or_list(const Approximately& matcher) {
  return harness::to_text(matcher.is_array ? Value(matcher.expected) : Value(matcher.expected.front()));
}

struct Describe {
  std::string operator()(const Equals& matcher) const { return harness::to_text(matcher.value); }
  std::string operator()(const Range& matcher) const {
    return fmt::format("{} to {}", harness::to_text(matcher.minimum), harness::to_text(matcher.maximum));
  }
  std::string operator()(const Approximately& matcher) const {
    std::vector<std::string> tolerances;
    if (matcher.relative) tolerances.push_back(fmt::format("{} relative", *matcher.relative));
    if (matcher.absolute) tolerances.push_back(fmt::format("{} absolute", *matcher.absolute));
    if (matcher.last_places) tolerances.push_back(fmt::format("{} ulp", *matcher.last_places));
    return fmt::format("{} within {}", number_or_list(matcher), fmt::join(tolerances, " or "));
  }
  std::string operator()(const Matches& matcher) const { return fmt::format("matches /{}/", matcher.pattern); }
  std::string operator()(const OneOf& matcher) const {
    std::vector<std::string> texts;
    for (const Value& value : matcher.values) texts.push_back(harness::to_text(value));
    return fmt::format("one of {}", fmt::join(texts, ", "));
  }
  std::string operator()(const Informational&) const { return "any value"; }
  std::string operator()(const Limited& matcher) const {
    return matcher.parameter.empty() ? "a number within its limit"
                                     : fmt::format("a number within the limit for its {}", matcher.parameter);
  }
};

}  // namespace

Matches make_matches(std::string pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{1} << 20);  // plenty for any readable pattern; bounds a hostile one
  auto compiled = std::make_shared<const re2::RE2>(pattern, options);
  if (!compiled->ok()) throw std::invalid_argument(compiled->error());
  return {std::move(pattern), std::move(compiled)};
}

bool accepts(const Matcher& matcher, const Value& seen) { return std::visit(Accepts{seen}, matcher); }

std::optional<double> as_double(const Value& value) noexcept {
  const std::optional<Number> number = as_number(value);
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::string describe(const Matcher& matcher) { return std::visit(Describe{}, matcher); }

}  // namespace gpucheck::golden
