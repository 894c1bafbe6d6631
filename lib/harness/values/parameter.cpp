#include "harness/values/parameter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace gpucheck::harness {
namespace {

bool counts_bytes(const Parameter& parameter) { return parameter.unit == "bytes"; }

[[noreturn]] void reject(const Parameter& parameter, std::string_view text, std::string_view problem = {}) {
  throw UsageError(fmt::format("parameter \"{}\": \"{}\" is not allowed{}{}{}: give {}", parameter.name, text,
                               problem.empty() ? "" : " (", problem, problem.empty() ? "" : ")", parameter.allowed()));
}

/// Reads all of `text` as a number; nothing when any of it is something else.
template <typename Number>
Number parse_number(const Parameter& parameter, std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) reject(parameter, text, "beyond 64 bits");
  if (error != std::errc{} || end != text.data() + text.size()) reject(parameter, text);
  return number;
}

std::int64_t parse_size(const Parameter& parameter, std::string_view text) {
  std::uint64_t bytes = 0;
  try {
    bytes = parse_bytes(text);
  } catch (const UsageError&) {  // says nothing of the parameter and its range
    reject(parameter, text);
  }
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    reject(parameter, text, "beyond 64 bits");
  }
  return static_cast<std::int64_t>(bytes);
}

bool parse_bool(const Parameter& parameter, std::string_view text) {
  if (text != "true" && text != "false") reject(parameter, text);
  return text == "true";
}

template <typename Number>
Number in_range(const Parameter& parameter, std::string_view text, Number number) {
  // long double holds every 64-bit integer exactly; double does not.
  const auto exact = static_cast<long double>(number);
  if (!std::isfinite(exact)) reject(parameter, text, "not finite");
  if (parameter.minimum && exact < static_cast<long double>(*parameter.minimum)) reject(parameter, text, "too small");
  if (parameter.smallest && exact != 0 && exact < static_cast<long double>(*parameter.smallest)) {
    reject(parameter, text, "too small to test anything");
  }
  if (parameter.maximum && exact > static_cast<long double>(*parameter.maximum)) reject(parameter, text, "too large");
  return number;
}

/// A bound as a person writes it: whole numbers in full, never as 1e+09.
std::string bound_text(double bound) {
  constexpr double longest_whole_number = 1e18;
  const bool whole = std::trunc(bound) == bound && std::abs(bound) <= longest_whole_number;
  return whole ? fmt::format("{:.0f}", bound) : fmt::format("{}", bound);
}

std::string range_text(const Parameter& parameter) {
  const auto& [minimum, maximum] = std::pair(parameter.minimum, parameter.maximum);
  if (const auto& smallest = parameter.smallest) {
    return maximum ? fmt::format(", 0 or from {} to {}", bound_text(*smallest), bound_text(*maximum))
                   : fmt::format(", 0 or at least {}", bound_text(*smallest));
  }
  if (minimum && maximum) return fmt::format(" from {} to {}", bound_text(*minimum), bound_text(*maximum));
  if (minimum) return fmt::format(" of at least {}", bound_text(*minimum));
  if (maximum) return fmt::format(" of at most {}", bound_text(*maximum));
  return {};
}

std::string number_text(const Parameter& parameter, std::string_view kind) {
  if (counts_bytes(parameter)) {
    return fmt::format("{}{}, in bytes or with KiB, MiB or GiB after it", kind, range_text(parameter));
  }
  return fmt::format("{}{}{}{}", kind, range_text(parameter), parameter.unit.empty() ? "" : ", in ", parameter.unit);
}

}  // namespace

ParameterValue Parameter::parse(std::string_view text) const {
  if (std::holds_alternative<bool>(default_value)) return parse_bool(*this, text);
  if (std::holds_alternative<std::int64_t>(default_value)) {
    const bool size = counts_bytes(*this) && !text.starts_with('-');
    return in_range(*this, text, size ? parse_size(*this, text) : parse_number<std::int64_t>(*this, text));
  }
  if (std::holds_alternative<double>(default_value)) return in_range(*this, text, parse_number<double>(*this, text));
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) reject(*this, text);
  return std::string(text);
}

std::string Parameter::allowed() const {
  if (std::holds_alternative<bool>(default_value)) return "true or false";
  if (std::holds_alternative<std::int64_t>(default_value)) return number_text(*this, "integer");
  if (std::holds_alternative<double>(default_value)) return number_text(*this, "number");
  return choices.empty() ? "any string" : fmt::format("one of {}", fmt::join(choices, ", "));
}

std::string to_text(const ParameterValue& value) {
  return std::visit([](const auto& content) { return fmt::format("{}", content); }, value);
}

}  // namespace gpucheck::harness
