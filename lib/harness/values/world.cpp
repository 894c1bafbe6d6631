#include "harness/values/world.hpp"

#include <charconv>
#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::harness {
namespace {

/// The text before the first `end`, which is taken off with it.
std::string_view take_until(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(taken.size() == text.size() ? taken.size() : taken.size() + 1);
  return taken;
}

int number_in(std::string_view digits) {
  int number = -1;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return problem == std::errc() && end == digits.data() + digits.size() ? number : -1;
}

}  // namespace

std::string to_text(const World& world) {
  if (world == World{}) return {};
  return fmt::format("{}/{} {} {}", world.rank, world.size, world.member, world.rendezvous);
}

World parse_world(std::string_view text) {
  if (text.empty()) return {};
  std::string_view rest = text;
  World world{.rank = number_in(take_until(rest, '/')),
              .size = number_in(take_until(rest, ' ')),
              .rendezvous = {},
              .member = {}};
  world.member = take_until(rest, ' ');
  world.rendezvous = rest;
  if (world.rank >= 0 && world.rank < world.size) return world;
  throw Error(fmt::format("\"{}\" is not a process's place among others", text));
}

}  // namespace gpucheck::harness
