#pragma once

#include <cstddef>
#include <string_view>

namespace gpucheck::replay {

/// How often a part occurs in a text.
inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace gpucheck::replay
