#include "harness/result/pair_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <variant>

namespace gpucheck::harness {

std::vector<PairMatrix> pair_matrices(const CaseResult& result) {
  const std::size_t rows = result.devices.size();
  std::vector<PairMatrix> found;
  for (const Observation& one : result.observations) {
    const auto* const values = std::get_if<std::vector<double>>(&one.value);
    if (values == nullptr || rows < 2 || values->size() != rows * rows) continue;
    std::string_view metric = one.key;
    if (!metric.ends_with(pair_matrix_ending)) continue;
    metric.remove_suffix(pair_matrix_ending.size());
    found.push_back({metric, *values});
  }
  return found;
}

double median_of_pairs(std::span<const double> values) {
  std::vector<double> measured;
  std::ranges::copy_if(values, std::back_inserter(measured), [](double value) { return std::isfinite(value); });
  if (measured.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = measured.begin() + static_cast<std::ptrdiff_t>(measured.size() / 2);
  std::ranges::nth_element(measured, middle);
  return *middle;
}

}  // namespace gpucheck::harness
