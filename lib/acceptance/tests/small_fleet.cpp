#include "small_fleet.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

#include "acceptance/bundle/bundle.hpp"
#include "base/digest.hpp"
#include "base/files/tests/temporary_folder.hpp"
#include "golden/judgement.hpp"
#include "harness/run/exit_codes.hpp"
#include "report/journal/event_json.hpp"

namespace gpucheck::acceptance {
namespace {

constexpr std::array<golden::GoldenSet::File, 7> golden_files{{
    {"alloc/one.json", R"({"case": "alloc.one", "expect": {"ok": {"equals": true, "basis": "math"}}})"},
    {"limits.json", R"({"schema": "gpucheck.limits/1", "classes": [{"name": "any", "limits": {
       "memory.speed.speed_gbps": {"fail_below": 2000, "warn_below": 2500, "source": "made up"}}}]})"},
    {"link/all.json", R"({"case": "link.all", "expect": {"wrong": {"equals": 0, "basis": "math"}}})"},
    {"link/pair.json", R"({"case": "link.pair", "expect": {"wrong": {"equals": 0, "basis": "math"}}})"},
    {"machine/software.json",
     R"({"case": "machine.software", "expect": {"version": {"matches": "^580\\.", "basis": "vendor"}}})"},
    {"memory/pattern.json", R"({"case": "memory.pattern", "expect": {
       "errors": {"equals": 0, "basis": "math"}, "bytes": {"informational": true, "basis": "math"}}})"},
    {"memory/speed.json", R"({"case": "memory.speed", "expect": {"speed_gbps": {"limit": true, "basis": "vendor"}}})"},
}};

std::string digest_of(std::string_view path) {
  const auto* const file = std::ranges::find(golden_files, path, &golden::GoldenSet::File::path);
  return sha256(file->text);
}

std::string contract_json() {
  const auto row = [](std::string_view name, std::string_view path, std::string_view on, int devices,
                      std::string_view parameters = "{}") {
    return fmt::format(R"("{}": {{"on": "{}", "devices": {}, "golden": "{}", "parameters": {}}})", name, on, devices,
                       digest_of(path), parameters);
  };
  return fmt::format(
      R"({{"schema": "gpucheck.contract/1", "name": "small acceptance", "version": "1.0", "suite": "acceptance",
"device_kind": "cuda", "minimum_devices": 1, "minimum_repetitions": 1,
"allowed_options": ["--suite", "-j", "--journal"], "allowed_configuration_keys": ["suite"],
"allowed_settings": ["device", "seed", "parameters"], "limits": "{}", "cases": {{
{},
{},
{},
{},
{},
{}
}}}}
)",
      digest_of("limits.json"), row("alloc.one", "alloc/one.json", "once", 1),
      row("link.all", "link/all.json", "all_devices", 2), row("link.pair", "link/pair.json", "each_group", 2),
      row("machine.software", "machine/software.json", "machine", 0),
      row("memory.pattern", "memory/pattern.json", "each_device", 1, R"({"rounds": 4})"),
      row("memory.speed", "memory/speed.json", "each_device", 1));
}

std::chrono::system_clock::time_point some_day() { return std::chrono::sys_days(std::chrono::days(20'000)); }

harness::DeviceIdentity device_of(const std::string& node, int index) {
  harness::DeviceIdentity device;
  device.index = index;
  device.kind = "cuda";
  device.ordinal = index;
  device.name = "NVIDIA H100";
  device.uuid = fmt::format("GPU-{}-{}", node, index);
  device.driver_version = "580.95";
  return device;
}

harness::RunFinished end_of(const harness::RunStarted& start, const std::vector<harness::CaseResult>& results) {
  harness::RunFinished end;
  harness::DeviceEvidence shown;
  for (const harness::CaseResult& result : results) {
    end.counts.add(result);
    shown.add(result);
  }
  end.duration_ms = 1234.5;
  end.unproven_devices = shown.missing(start.devices);
  end.exit_code =
      static_cast<int>(harness::with_unproven(harness::exit_code(end.counts, start.max_skips), end.unproven_devices));
  return end;
}

/// The paths of journals that lie in the folder.
std::vector<std::string> written(const TemporaryFolder& folder, const std::vector<std::string>& journals,
                                 std::string_view kind) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < journals.size(); ++i) {
    paths.push_back(folder.file(fmt::format("{}{}.journal", kind, i)));
    std::ofstream(paths.back(), std::ios::binary) << journals[i];
  }
  return paths;
}

}  // namespace

std::vector<golden::GoldenSet::File> small_golden_files() { return {golden_files.begin(), golden_files.end()}; }

golden::GoldenSet small_goldens() { return golden::GoldenSet::from_embedded(golden_files); }

const Contract& small_contract() {
  static const Contract contract = Contract::parse(contract_json());
  return contract;
}

Contract small_contract_with(std::string_view old_words, std::string_view new_words) {
  std::string text = contract_json();
  const std::size_t place = text.find(old_words);
  if (place == std::string::npos) throw std::invalid_argument(std::string(old_words));
  return Contract::parse(text.replace(place, old_words.size(), new_words));
}

harness::CaseResult observed(const std::string& name, std::vector<int> devices, harness::Observations observations,
                             const golden::GoldenSet& goldens) {
  harness::CaseResult result;
  result.name = name;
  result.devices = std::move(devices);
  result.observations = std::move(observations);
  if (name == "memory.pattern") result.parameters = {{"rounds", std::int64_t{4}}};
  result.duration_ms = 12.5;
  const harness::DeviceIdentity device = device_of("n1", result.devices.empty() ? 0 : result.devices.front());
  golden::judge_completed(
      result, {}, goldens,
      {.device_kind = "cuda", .limits = &goldens.limits(), .device = &device, .parameters = &result.parameters});
  return result;
}

harness::CaseResult without_evidence(const std::string& name, std::vector<int> devices, harness::Outcome outcome,
                                     const std::string& reason) {
  harness::CaseResult result;
  result.name = name;
  result.devices = std::move(devices);
  result.outcome = outcome;
  result.reason = reason;
  return result;
}

std::vector<harness::CaseResult> good_results(int devices) {
  std::vector<harness::CaseResult> results{
      observed("machine.software", {}, {{"version", std::string("580.95")}}),
      observed("alloc.one", {devices - 1}, {{"ok", true}}),
  };
  if (devices == 2) {
    results.push_back(observed("link.all", {0, 1}, {{"wrong", std::int64_t{0}}}));
    results.push_back(observed("link.pair", {0, 1}, {{"wrong", std::int64_t{0}}}));
  }
  for (int i = 0; i < devices; ++i) {
    results.push_back(observed("memory.pattern", {i}, {{"errors", std::int64_t{0}}, {"bytes", std::int64_t{4096}}}));
    results.push_back(observed("memory.speed", {i}, {{"speed_gbps", 3000.5}}));
  }
  return results;
}

harness::CaseResult& result_in(std::vector<harness::CaseResult>& results, std::string_view name) {
  return *std::ranges::find(results, name, &harness::CaseResult::name);
}

harness::RunStarted start_on(const std::string& node, int devices) {
  harness::RunStarted start;
  start.version = "0.1.0";
  start.command_line = {"gpucheck", "run", "--suite", "acceptance", "--journal", "x.journal"};
  start.host_name = node;
  start.start_time = some_day();
  for (int i = 0; i < devices; ++i) start.devices.push_back(device_of(node, i));
  return start;
}

std::string journal_of(harness::RunStarted start, const std::vector<harness::CaseResult>& results) {
  for (const harness::CaseResult& result : results) start.selected.push_back(harness::selected_case(result));
  start.total = results.size();
  std::string text;
  const auto add = [&text](const auto& event) { text += report::line_of({.time = some_day(), .event = event}) + "\n"; };
  add(start);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const harness::CaseResult& result = results[i];
    add(harness::CaseStarted{.name = result.name,
                             .repetition = result.repetition,
                             .running = 1,
                             .finished = i,
                             .total = results.size(),
                             .devices = result.devices});
    add(harness::CaseFinished{.result = result, .finished = i + 1, .total = results.size()});
  }
  add(end_of(start, results));
  return text;
}

Standing standing_of(const std::vector<std::string>& journals, const std::string& expected, const Contract& contract,
                     const golden::GoldenSet& goldens, bool has_site_limits) {
  const TemporaryFolder folder;
  const Terms terms{.contract = contract,
                    .goldens = goldens,
                    .has_site_limits = has_site_limits,
                    .expected = fleet::parse_expected_nodes(expected)};
  return Dossier(terms, written(folder, journals, "run"), {}).judged().standing;
}

std::string bundle_of(const std::vector<std::string>& journals, const std::string& expected,
                      const std::vector<std::string>& again) {
  const TemporaryFolder folder;
  const golden::GoldenSet goldens = small_goldens();
  const Terms terms{
      .contract = small_contract(), .goldens = goldens, .expected = fleet::parse_expected_nodes(expected)};
  std::string bytes;
  Dossier(terms, written(folder, journals, "run"), written(folder, again, "again"))
      .write("0.1.0", "", [&bytes](std::string_view more) { bytes += more; });
  return bytes;
}

ReadBytes reading(std::string_view text) {
  return [rest = text](std::span<char> room) mutable {
    const std::size_t count = std::min(room.size(), rest.size());
    rest.copy(room.data(), count);
    rest.remove_prefix(count);
    return count;
  };
}

}  // namespace gpucheck::acceptance
