#include "runner/worker/neighbours.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpucheck::runner {

std::vector<std::vector<int>> neighbours(int count, int size) {
  std::vector<std::vector<int>> groups;
  for (int first = 0; first < count && size <= count; first += size) {
    std::vector<int> group;
    for (int i = std::min(first, count - size); std::ssize(group) < size; ++i) group.push_back(i);
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace gpucheck::runner
