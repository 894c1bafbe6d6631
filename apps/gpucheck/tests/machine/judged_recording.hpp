#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

/// Cases on a recording of a machine, which tests change: from the file to the verdict.
namespace gpucheck::application::links {

using nlohmann::json;

inline const json not_supported = {{"unavailable", "not supported"}};
inline const json unknown_error = {{"failed", "Unknown Error"}};

/// The simulated H100's recording with that many GPUs, all 18 NVLinks up.
json machine_of(int gpus);
void rename(json& machine, const std::string& name);

/// What came of one case.
struct Judged {
  CommandResult command;
  json cases;  ///< its results, by device
  [[nodiscard]] const json& on(std::size_t device) const { return cases.at(device); }
  [[nodiscard]] std::string outcome(std::size_t device = 0) const { return on(device)["outcome"]; }
  [[nodiscard]] std::string reason(std::size_t device = 0) const { return on(device)["reason"]; }
  [[nodiscard]] std::vector<std::string> keys(const char* list, std::size_t device = 0) const {
    std::vector<std::string> keys;
    for (const json& difference : on(device)[list]) keys.push_back(difference["key"]);
    return keys;
  }
};
using Keys = std::vector<std::string>;

/// One case, of a machine that was recorded so.
Judged run(const char* test_case, const json& machine, const std::vector<std::string>& more = {});

}  // namespace gpucheck::application::links
