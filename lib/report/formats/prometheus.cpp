#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "report/formats/entries.hpp"
#include "report/formats/exposition.hpp"

namespace gpucheck::report {
namespace {

void add_counts(Exposition& exposition, const Labels& labels, const harness::Counts& counts) {
  const std::vector<std::pair<std::string, std::int64_t>> all{
      {"pass", counts.pass},   {"fail", counts.fail},     {"error", counts.error},
      {"crash", counts.crash}, {"hang", counts.hang},     {"skip", counts.skip},
      {"flaky", counts.flaky}, {"waived", counts.waived}, {"not_run", counts.not_run}};
  for (const auto& [outcome, count] : all) {
    exposition.add("gpucheck_run_results", "Results by outcome; flaky ones are also passes, waived ones also failures.",
                   with(labels, {{"outcome", outcome}}), static_cast<double>(count));
  }
}

void add_devices(Exposition& exposition, const Labels& labels, const fleet::RunRecord& run) {
  harness::DeviceVerdicts verdicts;
  for (const harness::CaseResult& result : run.results) verdicts.add(result);
  const std::vector<harness::DeviceVerdict> all = verdicts.of(run.start.devices, run.end);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const harness::DeviceIdentity& device = run.start.devices[i];
    const Labels of_device = with(labels, {{"device", fmt::format("{}", device.index)}, {"uuid", device.uuid}});
    exposition.add("gpucheck_device_info", "A device that the run was on.",
                   with(of_device, {{"pci_bus_id", device.pci_bus_id}, {"name", device.name}, {"kind", device.kind}}),
                   1);
    exposition.add_verdict("gpucheck_device_verdict", "1 for the verdict on the device.", of_device, all[i].verdict);
    for (const harness::FailureKind* kind : all[i].failures) {
      exposition.add("gpucheck_device_failure", "A kind of failure that the device has; gpucheck explain CODE.",
                     with(of_device, {{"code", std::string(kind->code)},
                                      {"failure", std::string(kind->name)},
                                      {"severity", std::string(harness::to_text(kind->severity))},
                                      {"action", std::string(harness::to_text(kind->action))}}),
                     1);
    }
  }
  if (const auto machine = verdicts.of_machine(run.start.devices, run.end)) {
    exposition.add_verdict("gpucheck_machine_verdict", "1 for the verdict on the machine.", labels, machine->verdict);
  }
}

void add_run_metrics(Exposition& exposition, const Labels& labels, const fleet::RunRecord& run) {
  const auto since_1970 = std::chrono::duration<double>(run.start.start_time.time_since_epoch());
  exposition.add("gpucheck_run_info", "The run that the other metrics are of.",
                 with(labels, {{"version", run.start.version},
                               {"seed", fmt::format("{}", run.start.settings.seed)},
                               {"incomplete", run.end.incomplete}}),
                 1);
  if (run.start.configuration) {
    const harness::Configuration& configuration = *run.start.configuration;
    exposition.add("gpucheck_run_config", "How many settings of the run its configuration file decided.",
                   with(labels, {{"path", configuration.path}, {"profile", configuration.profile}}),
                   static_cast<double>(configuration.settings.size()));
    for (const harness::ConfiguredSetting& one : configuration.settings) {
      exposition.add("gpucheck_run_config_setting", "A setting that the configuration file decided.",
                     with(labels, {{"key", one.key}, {"value", one.value}}), 1);
    }
  }
  exposition.add("gpucheck_run_start_time_seconds", "When the run started, in seconds since 1970.", labels,
                 std::floor(since_1970.count()));
  exposition.add("gpucheck_run_duration_seconds", "How long the run took.", labels, run.end.duration_ms / 1000);
  exposition.add("gpucheck_run_exit_code", "0 passed, 1 failed, 3 not judged, 130 and 143 interrupted.", labels,
                 run.end.exit_code);
  exposition.add_verdict("gpucheck_run_verdict", "1 for the verdict on the run.", labels,
                         verdict_of(run.end.exit_code));
  add_counts(exposition, labels, run.end.counts);
}

/// Red cases alone: 250 cases on each of eight devices would be 2,000 series a node, and all of them 0.
void add_entries(Exposition& exposition, const Labels& labels, const Entry& entry) {
  if (is_red(entry.standing)) {
    exposition.add("gpucheck_case_not_passed", "A case that counts against the run.",
                   with(labels, {{"case", entry.name}, {"place", entry.place}, {"outcome", entry.word}}), 1);
  }
  if (entry.result == nullptr) return;
  for (const harness::Measurement& measured : entry.result->measurements) {
    exposition.add("gpucheck_measurement", "A measured value that a limit judges, in the unit that its key ends with.",
                   with(labels, {{"case", entry.name}, {"place", entry.place}, {"key", measured.key}}), measured.value);
  }
}

}  // namespace

std::string prometheus_report(RunSet set) {
  Exposition exposition;
  const std::vector<Entry> entries = entries_of(set);
  std::vector<Labels> labels;
  for (std::size_t i = 0; i < set.runs.size(); ++i) {
    Labels of_run{{"host", set.runs[i].start.host_name}};
    if (!set.is_one_run()) of_run.emplace_back("run", set.labels[i]);
    add_run_metrics(exposition, of_run, set.runs[i]);
    add_devices(exposition, of_run, set.runs[i]);
    labels.push_back(std::move(of_run));
  }
  labels.emplace_back();  // of what is between runs
  for (const Entry& entry : entries) add_entries(exposition, labels.at(entry.run), entry);
  return exposition.text();
}

}  // namespace gpucheck::report
