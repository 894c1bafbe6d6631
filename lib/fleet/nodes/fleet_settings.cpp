#include "fleet/nodes/fleet_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace gpucheck::fleet {

std::string settings_text(const KeptRun& run) {
  harness::RunSettings settings = run.start.settings;
  settings.device = "";
  settings.case_folders.clear();  // what lies in them is compared by digests, wherever that is
  std::vector<std::string> words = harness::to_options(settings);
  std::erase(words, "");
  std::erase(words, "--device");
  if (!settings.fault.empty()) words.push_back("--fault " + settings.fault);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace gpucheck::fleet
