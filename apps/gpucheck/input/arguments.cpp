#include "input/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <limits>

#include "base/error.hpp"

namespace gpucheck::application {

namespace {

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
