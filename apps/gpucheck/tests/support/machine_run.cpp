#include "tests/support/machine_run.hpp"

namespace gpucheck::application {

using nlohmann::json;

json recorded_machine(const std::string& name) {
  return json::parse(read_file(std::string(GPUCHECK_RECORDED_MACHINES) + "/" + name + ".json"));
}

MachineRun::MachineRun(const json& machine, const std::vector<std::string>& cases, const std::string& device,
                       const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  write_file(folder / "machine.json", machine.dump());
  std::vector<std::string> words{"run"};
  words.insert(words.end(), cases.begin(), cases.end());
  words.insert(words.end(), {"--device", device, "--telemetry", folder / "machine.json", "--json", folder / "out.json",
                             "--no-journal"});
  words.insert(words.end(), more.begin(), more.end());
  result = gpucheck(words);
  report = json::parse(read_file(folder / "out.json"));
}

json MachineRun::of(const std::string& name, std::size_t device) const {
  for (const json& each : report["cases"]) {
    const bool is_there = each["devices"].empty() || each["devices"][0] == device;
    if (each["name"] == name && is_there) return each;
  }
  return {};
}

std::vector<std::string> MachineRun::keys(const std::string& name, const char* list) const {
  const json test_case = of(name);
  std::vector<std::string> keys;
  for (const json& each : test_case.at(list)) keys.push_back(each["key"]);
  return keys;
}

}  // namespace gpucheck::application
