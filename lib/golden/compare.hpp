#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/content.hpp"
#include "harness/result/result.hpp"

namespace gpucheck::golden {

/// One key against what was seen of it (null: nothing); empty when they agree. A difference that only warns is one.
/// @param case_name whose entry it is: limits go by it.
std::optional<harness::Mismatch> judge(std::string_view case_name, const Entry& entry, const harness::Value* seen,
                                       const Conditions& conditions);

/// See Golden::warnings.
std::vector<harness::Mismatch> warnings(const FileContent& content, const harness::Observations& observations,
                                        const Conditions& conditions);

/// See Golden::measure.
std::vector<harness::Measurement> measure(const FileContent& content, const harness::Observations& observations,
                                          const Conditions& conditions);

/// See Golden::judged_keys.
std::vector<std::string> judged_keys(const FileContent& content, const Conditions& conditions);

/// See Golden::compare.
std::vector<harness::Mismatch> compare(const FileContent& content, const harness::Observations& observations,
                                       const Conditions& conditions);

}  // namespace gpucheck::golden
