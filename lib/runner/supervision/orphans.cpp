#include "runner/supervision/orphans.hpp"

#include <algorithm>

#include "runner/plan/rerun.hpp"

namespace gpucheck::runner {

std::vector<std::string> orphan_goldens(const harness::Registry& registry, const golden::GoldenSet& goldens) {
  std::vector<std::string> orphans = goldens.case_names();
  std::erase_if(orphans, [&](const std::string& name) { return registry.find(name) != nullptr; });
  std::ranges::sort(orphans);
  return orphans;
}

harness::CaseResult orphan_result(std::string_view name, harness::RunSettings settings) {
  harness::CaseResult result;
  result.name = name;
  result.outcome = harness::Outcome::fail;
  result.reason = "there is a golden file for this name, but no case: remove the file, or restore the case";
  result.mismatches = {{.key = "case", .expected = "a case for this golden file", .seen = "nothing", .basis = "rule"}};
  settings.parameters.clear();  // what no case declares is an error
  settings.fault.clear();
  result.rerun_command = rerun_command(name, settings);
  return result;
}

}  // namespace gpucheck::runner
