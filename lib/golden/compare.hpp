#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/content.hpp"
#include "harness/result.hpp"

namespace gpucheck::golden {

/// One key against what was seen of it (null: nothing); empty when they agree.
std::optional<harness::Mismatch> judge(const Entry& entry, const harness::Value* seen, const Conditions& conditions);

/// See Golden::judged_keys.
std::vector<std::string> judged_keys(const FileContent& content, const Conditions& conditions);

/// See Golden::compare.
std::vector<harness::Mismatch> compare(const FileContent& content, const harness::Observations& observations,
                                       const Conditions& conditions);

}  // namespace gpucheck::golden
