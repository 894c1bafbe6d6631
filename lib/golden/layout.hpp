#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpucheck::golden {

/// A golden file's text as people write it: one expectation a line, so that a change
/// of one is a change of one line.
std::string layout(const nlohmann::ordered_json& document);

}  // namespace gpucheck::golden
