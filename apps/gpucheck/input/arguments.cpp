#include "input/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/error.hpp"

namespace gpucheck::application {

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

template <typename Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<int> parse_whole_number(std::string_view text) {
  int number = 0;
  return parse_whole(text, number) ? std::optional(number) : std::nullopt;
}

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

runner::Shard parse_shard(std::string_view text) {
  runner::Shard shard;
  const std::size_t slash = text.find('/');
  const bool well_formed = slash != std::string_view::npos && parse_whole(text.substr(0, slash), shard.index) &&
                           parse_whole(text.substr(slash + 1), shard.count);
  if (well_formed && shard.index >= 1 && shard.index <= shard.count) return shard;
  throw UsageError(fmt::format("\"{}\" is not a shard: write i/n with i from 1 to n, for example 2/8", text));
}

std::uint64_t parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  if (parse_whole(text, seed)) return seed;
  throw UsageError(fmt::format("\"{}\" is not a seed: write a whole number from 0 to {}", text,
                               std::numeric_limits<std::uint64_t>::max()));
}

std::pair<std::string, std::string> parse_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    throw UsageError(fmt::format("\"{}\" is not a parameter: write name=value, for example iterations=1000", text));
  }
  std::string name(text.substr(0, equals));
  std::replace(name.begin(), name.end(), '-', '_');
  return {std::move(name), std::string(text.substr(equals + 1))};
}

}  // namespace gpucheck::application
