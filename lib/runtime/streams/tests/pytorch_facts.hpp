#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace gpucheck::runtime::test {

using nlohmann::json;

/// A section of what scripts/record/stream_facts printed; `folder` is that of lib/runtime.
inline json pytorch_facts(const std::string& folder, const std::string& section) {
  std::ifstream file(folder + "/streams/tests/data/pytorch_2.11_h200.json");
  return json::parse(file).at(section);
}

}  // namespace gpucheck::runtime::test
