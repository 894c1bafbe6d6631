#include "base/text/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <system_error>

#include "base/error.hpp"

namespace gpucheck {
namespace {

/// Milliseconds in one of `unit`; 0 for a unit that is not known.
double milliseconds_in(std::string_view unit) {
  struct Unit {
    std::string_view name;
    double milliseconds;
  };
  static constexpr std::array<Unit, 4> units{{{"ms", 1}, {"s", 1e3}, {"min", 60e3}, {"h", 3600e3}}};
  const auto* const found = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == unit; });
  return found == units.end() ? 0 : found->milliseconds;
}

}  // namespace

std::chrono::milliseconds parse_duration(std::string_view text) {
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double milliseconds = number * milliseconds_in(unit);
  // Written so that a NaN is rejected too.
  if (problem == std::errc{} && milliseconds >= 1 && milliseconds <= 24 * 3600e3) {
    return std::chrono::milliseconds(std::llround(milliseconds));
  }
  throw UsageError(
      fmt::format("\"{}\" is not a duration: write a number and ms, s, min or h, from 1ms to 24h, for "
                  "example 500ms or 5s",
                  text));
}

}  // namespace gpucheck
