#include "runtime/settings/allocator_choice.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace gpucheck::runtime {
namespace {

using Kind = AllocatorChoice::Kind;

constexpr std::string_view library_suffix = ".so";

[[noreturn]] void reject(std::string_view text) {
  throw UsageError(
      fmt::format("\"{}\" is not an allocator. Use caching, async, FILE.so, or FILE.so:ALLOCATE,FREE to name its two "
                  "functions.",
                  text));
}

}  // namespace

AllocatorChoice parse_allocator_choice(std::string_view text) {
  if (text == "caching") return {};
  if (text == "async") return {.kind = Kind::async, .library = {}};
  AllocatorChoice choice{.kind = Kind::library, .library = std::string(text)};
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view symbols = text.substr(colon + 1);
    const std::size_t comma = symbols.find(',');
    if (comma == std::string_view::npos || comma == 0 || comma + 1 == symbols.size()) reject(text);
    choice.library = text.substr(0, colon);
    choice.allocate_symbol = symbols.substr(0, comma);
    choice.free_symbol = symbols.substr(comma + 1);
  }
  // "libmine.so.1" is one as well.
  if (choice.library.find(library_suffix) == std::string::npos) reject(text);
  return choice;
}

std::string to_text(const AllocatorChoice& choice) {
  if (choice.kind != Kind::library) return std::string(kind_name(choice));
  const AllocatorChoice defaults;
  if (choice.allocate_symbol == defaults.allocate_symbol && choice.free_symbol == defaults.free_symbol) {
    return choice.library;
  }
  return fmt::format("{}:{},{}", choice.library, choice.allocate_symbol, choice.free_symbol);
}

std::string_view kind_name(const AllocatorChoice& choice) noexcept {
  switch (choice.kind) {
    case Kind::caching:
      return "caching";
    case Kind::async:
      return "async";
    case Kind::library:
      break;
  }
  return "library";
}

}  // namespace gpucheck::runtime
