#include "tests/machine/judged_recording.hpp"

namespace gpucheck::application::links {

json machine_of(int gpus) {
  json machine = json::parse(read_file(std::string(GPUCHECK_RECORDED_MACHINES) + "/simulated_gpu.json"));
  const json gpu = machine["gpus"][0];
  machine["gpus"] = json::array();
  for (int i = 0; i < gpus; ++i) {
    json& copy = machine["gpus"].emplace_back(gpu);
    copy["readings"]["pci_address"] = "00000000:3" + std::to_string(i) + ":00.0";
    copy["readings"]["uuid"] = "GPU-00000000-0000-0000-0000-00000000000" + std::to_string(i);
  }
  return machine;
}

void rename(json& machine, const std::string& name) {
  for (json& gpu : machine["gpus"]) gpu["readings"]["name"] = name;
}

Judged run(const char* test_case, const json& machine, const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  write_file(folder / "machine.json", machine.dump());
  std::vector<std::string> arguments{"run",         test_case,
                                     "--device",    "sim:devices=" + std::to_string(machine["gpus"].size()),
                                     "--telemetry", folder / "machine.json",
                                     "--json",      folder / "out.json",
                                     "--no-journal"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Judged judged{.command = gpucheck(arguments), .cases = {}};
  const json report = json::parse(read_file(folder / "out.json"), nullptr, false);
  if (report.contains("cases")) judged.cases = report["cases"];
  return judged;
}

}  // namespace gpucheck::application::links
