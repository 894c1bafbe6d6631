#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result/result.hpp"

/// What a case on several devices measured from each of them to each other one.
namespace gpucheck::harness {

/// A case observes it under the metric's name with this at its end, as `rows * rows` numbers.
inline constexpr std::string_view pair_matrix_ending = "_of_pairs";

/// A pair is slow that has less than this share of what the median pair has.
inline constexpr double slow_pair_share = 0.75;

/// Row by row: from the row's device to the column's, both in the order of the result's devices. What was not measured,
/// as from a device to itself, is not a number. As long as the result lives.
struct PairMatrix {
  std::string_view metric;  ///< "copy_gbps"
  std::span<const double> values;
};

/// All of a result, in the order observed; what does not have a value for each two of its devices is none.
std::vector<PairMatrix> pair_matrices(const CaseResult& result);

/// The median of what was measured; of two in the middle the greater. Not a number where nothing was.
double median_of_pairs(std::span<const double> values);

}  // namespace gpucheck::harness
