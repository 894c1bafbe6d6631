#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.hpp"

namespace gpucheck::harness {

/// What one GPU gave, among the GPUs that it is compared with.
struct ComparedValue {
  int device = 0;                     ///< its index in the run; of several runs, its place among all their GPUs
  Value value = {};                   ///< a number, or the text of a digest
  std::string verdict;                ///< "pass", "warn" or "fail"
  std::optional<Waiver> waiver = {};  ///< why its failure does not fail the run
  /// The values that did not count of a speed that was measured again because it failed, in their order.
  std::vector<Value> earlier = {};
  bool operator==(const ComparedValue&) const = default;
};

/// What GPUs of one model gave of the same thing: lib/fleet/peers.hpp says what is compared, and how.
struct Comparison {
  std::string case_name;
  std::string key;      ///< of the observation
  std::string model;    ///< the GPUs' name
  std::string verdict;  ///< the worst of the values'
  std::string reason;   ///< in one line: which GPUs differ, by how much from whom; empty for a pass
  std::string failure;  ///< the code of the kind of failure; empty where nothing fails
  std::vector<ComparedValue> values;
  bool operator==(const Comparison&) const = default;
};

/// "gemm.bf16.digest": what is compared.
inline std::string name_of(const Comparison& comparison) { return comparison.case_name + "." + comparison.key; }

/// A value of it fails, and nobody has waived that.
inline bool is_failure(const Comparison& comparison) {
  for (const ComparedValue& one : comparison.values) {
    if (one.verdict == "fail" && !one.waiver) return true;
  }
  return false;
}

}  // namespace gpucheck::harness
