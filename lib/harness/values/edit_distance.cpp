#include "harness/values/edit_distance.hpp"

#include <algorithm>
#include <vector>

namespace gpucheck::harness {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // at(i, j): distance between the first i characters of a and the first j of b.
  std::vector<std::size_t> table((a.size() + 1) * (b.size() + 1));
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return table[i * (b.size() + 1) + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

}  // namespace gpucheck::harness
