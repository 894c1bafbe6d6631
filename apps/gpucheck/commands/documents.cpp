#include "commands/documents.hpp"

#include <nlohmann/json.hpp>

#include "commands/info/gpu_code.hpp"
#include "harness/run/json.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using Json = nlohmann::ordered_json;

/// Text from drivers and loaders may hold anything; what is not UTF-8 is replaced.
std::string finish(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json parameter_json(const harness::Parameter& parameter) {
  Json json{{"name", parameter.name},
            {"summary", parameter.summary},
            {"default", harness::to_json(parameter.default_value)},
            {"unit", parameter.unit},
            {"allowed", parameter.allowed()}};
  if (parameter.minimum) json["minimum"] = *parameter.minimum;
  if (parameter.maximum) json["maximum"] = *parameter.maximum;
  if (!parameter.choices.empty()) json["choices"] = parameter.choices;
  return json;
}

Json case_json(const Case& test_case) {
  Json json{{"name", test_case.name},
            {"group", test_case.group()},
            {"summary", test_case.summary},
            {"source", test_case.source},
            {"deadline_ms", test_case.deadline.count()},
            {"on_request", test_case.on_request},
            {"needs", harness::to_json(test_case.needs)},
            {"parameters", Json::array()},
            {"faults", Json::array()}};
  for (const harness::Parameter& parameter : test_case.parameters)
    json["parameters"].push_back(parameter_json(parameter));
  for (const harness::Fault& fault : test_case.faults) {
    json["faults"].push_back({{"name", fault.name}, {"summary", fault.summary}});
  }
  return json;
}

Json golden_json(const golden::Golden& golden) {
  Json rows = Json::array();
  for (const golden::Golden::Row& row : golden.rows()) {
    rows.push_back({{"key", row.key},
                    {"expectation", row.expectation},
                    {"basis", row.basis},
                    {"failure", row.failure},
                    {"warns", row.warns},
                    {"condition", row.condition},
                    {"note", row.note}});
  }
  return {{"origin", golden.origin()}, {"rows", std::move(rows)}};
}

Json device_json(const device::DeviceProperties& device) {
  return {{"name", device.name},
          {"uuid", device.uuid},
          {"pci_bus_id", device.pci_bus_id},
          {"total_memory_bytes", device.total_memory_bytes},
          {"multiprocessor_count", device.multiprocessor_count},
          {"compute_capability_major", device.compute_capability_major},
          {"compute_capability_minor", device.compute_capability_minor},
          {"code", to_text(gpu_code(build_information().cuda_architectures, device.compute_capability_major,
                                    device.compute_capability_minor))},
          {"multiprocessor_clock_khz", device.multiprocessor_clock_khz},
          {"memory_clock_khz", device.memory_clock_khz},
          {"memory_bus_bits", device.memory_bus_bits},
          {"host_link_generation", device.host_link.generation},
          {"host_link_lanes", device.host_link.lanes}};
}

Json devices_json(const MachineReport::Devices& devices) {
  Json json{{"devices", Json::array()},
            {"problem", devices.problem},
            {"driver_version", devices.versions.driver},
            {"cuda_driver_version", devices.versions.cuda_driver},
            {"cuda_runtime_version", devices.versions.cuda_runtime}};
  for (const device::DeviceProperties& device : devices.found) json["devices"].push_back(device_json(device));
  return json;
}

Json build_json() {
  const BuildInformation& build = build_information();
  return {{"version", build.version},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"cuda_toolkit", build.cuda_toolkit},
          {"cuda_architectures", build.cuda_architectures}};
}

Json result_json(const harness::CaseResult& result) {
  Json json{{"outcome", harness::to_text(result.outcome)},
            {"reason", result.reason},
            {"duration_ms", result.duration_ms},
            {"mismatches", Json::array()},
            {"warnings", Json::array()}};
  for (const harness::Mismatch& mismatch : result.mismatches) json["mismatches"].push_back(harness::to_json(mismatch));
  for (const harness::Mismatch& warning : result.warnings) json["warnings"].push_back(harness::to_json(warning));
  return json;
}

Json case_proof_json(const runner::CaseProof& proof) {
  Json json{{"name", proof.test_case->name},
            {"proven", proof.proven()},
            {"clean", result_json(proof.clean)},
            {"keys", Json::array()},
            {"faults", Json::array()}};
  for (const std::string& key : proof.judged_keys) {
    json["keys"].push_back({{"key", key}, {"red_under", proof.faults_that_turn_red(key)}});
  }
  if (proof.clean.outcome != harness::Outcome::pass) return json;
  for (const harness::Fault& fault : proof.test_case->faults) {
    const runner::FaultTrial* const trial = proof.trial_of(fault);
    harness::CaseResult none;
    none.reason = "not run: interrupted";
    Json entry{{"name", fault.name},
               {"noticed", trial != nullptr && trial->noticed()},
               {"caught_by", to_text(trial == nullptr ? runner::CaughtBy::nothing : trial->caught_by())}};
    entry.update(result_json(trial != nullptr ? trial->result : none));
    json["faults"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace

std::string list_document(std::span<const Case* const> cases, const std::optional<RunEstimate>& estimate) {
  Json document{{"schema", "gpucheck.list/1"}, {"version", build_information().version}, {"cases", Json::array()}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Json& json = document["cases"].emplace_back(case_json(*cases[i]));
    if (!estimate) continue;
    json["estimate_ms"] = estimate->cases[i].time.count();
    json["estimate_basis"] = harness::to_text(estimate->cases[i].basis);
  }
  if (estimate) {
    document["estimate"] = {{"device_kind", estimate->on_simulator ? "sim" : "cuda"},
                            {"jobs", estimate->jobs},
                            {"measured_cases", estimate->measured},
                            {"side_by_side_ms", estimate->side_by_side.count()}};
  }
  return finish(document);
}

std::string case_document(const Case& test_case, const golden::Golden* golden) {
  Json document{{"schema", "gpucheck.case/1"}};
  document.update(case_json(test_case));
  document["golden"] = golden == nullptr ? Json(nullptr) : golden_json(*golden);
  return finish(document);
}

std::string failure_kinds_document(std::span<const harness::FailureKind> kinds) {
  Json document{{"schema", "gpucheck.failures/1"}, {"kinds", Json::array()}};
  for (const harness::FailureKind& kind : kinds) document["kinds"].push_back(harness::to_json(kind));
  return finish(document);
}

std::string info_document(const MachineReport& report) {
  Json document{{"schema", "gpucheck.info/1"},       {"build", build_json()},
                {"cuda", devices_json(report.cuda)}, {"simulator", {{"profiles", simulator_profiles()}}},
                {"silent_gpus", report.silent_gpus}, {"libraries", Json::array()}};
  for (const LibraryReport& library : report.libraries) {
    document["libraries"].push_back({{"name", library.name},
                                     {"found", !library.path.empty()},
                                     {"path", library.path},
                                     {"version", library.version},
                                     {"problem", library.problem}});
  }
  return finish(document);
}

std::string proof_document(const runner::Proof& proof) {
  Json document{{"schema", "gpucheck.proof/1"},
                {"version", build_information().version},
                {"device", harness::to_json(proof.device)},
                {"cases", Json::array()},
                {"fault_count", proof.fault_count()},
                {"noticed_count", proof.noticed_count()},
                {"key_count", proof.key_count()},
                {"red_key_count", proof.red_key_count()},
                {"exit_code", static_cast<int>(proof.exit_code())}};
  for (const runner::CaseProof& entry : proof.cases) document["cases"].push_back(case_proof_json(entry));
  return finish(document);
}

}  // namespace gpucheck::application
