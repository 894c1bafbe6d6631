#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/subprocess.hpp"

namespace gpucheck::application {

/// A recorded state of a machine, by its file's name without ".json": "simulated_gpu", "sick/gpu_lost".
nlohmann::json recorded_machine(const std::string& name);

/// A run of cases on simulated devices, for which a recording stands.
class MachineRun {
 public:
  MachineRun(const nlohmann::json& machine, const std::vector<std::string>& cases, const std::string& device = "sim",
             const std::vector<std::string>& more = {});

  /// The result of a case on a device, by its index; one of the machine is found with any.
  [[nodiscard]] nlohmann::json of(const std::string& name, std::size_t device = 0) const;
  /// The keys of its "mismatches" or "warnings" on the first device.
  [[nodiscard]] std::vector<std::string> keys(const std::string& name, const char* list) const;

  CommandResult result;
  nlohmann::json report;
};

}  // namespace gpucheck::application
