#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gpucheck::fleet {

/// The middle of an odd number of values, the mean of the middle two of an even number. `values` must not be empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace gpucheck::fleet
