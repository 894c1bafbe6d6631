#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/values/value.hpp"

namespace re2 {
class RE2;
}

namespace gpucheck::golden {

/// The value itself. Kinds are kept apart (1 is not true, nor "1"), with two exceptions:
/// a whole number in the file also stands for the double that is exactly that number, and
/// an empty array has no kind.
struct Equals {
  harness::Value value;
};

/// A number from `minimum` to `maximum`, both included.
struct Range {
  harness::Value minimum;  ///< std::int64_t or double, as is `maximum`
  harness::Value maximum;
};

/// A finite number that keeps at least one of the tolerances given; for an array, as
/// many numbers, each of which does.
struct Approximately {
  std::vector<double> expected;
  bool is_array = false;
  std::optional<double> relative;  ///< share of the expected magnitude
  std::optional<double> absolute;
  /// Representable doubles between the two ("ulp"); a number that is none is not a number of them away.
  std::optional<std::uint64_t> last_places;
};

/// A text in which the regular expression (RE2 syntax) is found.
struct Matches {
  std::string pattern;
  std::shared_ptr<const re2::RE2> compiled;
};

/// Equal to any of these.
struct OneOf {
  std::vector<harness::Value> values;
};

/// Anything, as long as it was observed.
struct Informational {};

/// A number within the limit of its name (limits/limits.hpp), which is worked out for the device.
struct Limited {
  std::string parameter = {};  ///< of the case, whose value the name ends with; empty for none
};

using Matcher = std::variant<Equals, Range, Approximately, Matches, OneOf, Informational, Limited>;

/// @throws std::invalid_argument with RE2's reason when the pattern is not one.
Matches make_matches(std::string pattern);

/// Thread-safe. What is limited is accepted when it is a number: the limit itself is judged by `Limits`.
bool accepts(const Matcher& matcher, const harness::Value& seen);

/// The number that a value is; nothing for a text, true, false or an array.
std::optional<double> as_double(const harness::Value& value) noexcept;

/// What the matcher wants, in words: "true", "1 to 3", "matches /out of memory/".
std::string describe(const Matcher& matcher);

}  // namespace gpucheck::golden
