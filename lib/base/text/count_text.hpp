#pragma once

#include <concepts>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace gpucheck {

/// "1 event", "3 events"; with a plural that is not the noun and an s: "2 retries".
std::string count_text(std::integral auto count, std::string_view noun, std::string_view plural = {}) {
  if (count == 1) return fmt::format("1 {}", noun);
  return plural.empty() ? fmt::format("{} {}s", count, noun) : fmt::format("{} {}", count, plural);
}

}  // namespace gpucheck
