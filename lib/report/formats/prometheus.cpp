#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/sanitize.hpp"
#include "report/formats/entries.hpp"

// Prometheus' text format, version 0.0.4, as the textfile collector of node_exporter reads it: no time stamps, each
// metric's samples together behind its HELP and TYPE, no series twice, or the collector drops the file. The file is
// renamed into place when it is whole, as the collector wants it.
namespace gpucheck::report {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string escaped_label(std::string_view raw) {
  std::string escaped;
  for (const char c : one_line(raw)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string sample_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

/// The metrics and their samples, all of them gauges: what the last run says.
class Exposition {
 public:
  void add(const std::string& name, std::string_view help, const Labels& labels, double value) {
    const auto found = places_.try_emplace(name, families_.size());
    if (found.second) families_.push_back({fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name)});
    // A reader keeps none of two series with one name.
    std::string series = series_of(name, labels);
    for (int copy = 2; !series_.insert(series).second; ++copy) {
      Labels another = labels;
      another.emplace_back("copy", fmt::format("{}", copy));
      series = series_of(name, another);
    }
    families_[found.first->second].text += fmt::format("{} {}\n", series, sample_value(value));
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const Family& family : families_) all += family.text;
    return all;
  }

 private:
  struct Family {
    std::string text;
  };

  static std::string series_of(const std::string& name, const Labels& labels) {
    std::string text;
    for (const auto& [label, value] : labels) {
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", label, escaped_label(value));
    }
    return text.empty() ? name : fmt::format("{}{{{}}}", name, text);
  }

  std::vector<Family> families_;
  std::map<std::string, std::size_t> places_;
  std::set<std::string> series_;
};

Labels with(Labels labels, const Labels& more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

/// One for each verdict there is, 1 for that which holds: an alert that asks for one of them needs no other.
void add_verdict(Exposition& exposition, const std::string& name, std::string_view help, const Labels& labels,
                 harness::Verdict verdict) {
  using harness::Verdict;
  for (const Verdict one : {Verdict::passed, Verdict::failed, Verdict::not_judged}) {
    exposition.add(name, help, with(labels, {{"verdict", std::string(harness::to_text(one))}}), one == verdict ? 1 : 0);
  }
}

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
    add_verdict(exposition, "gpucheck_device_verdict", "1 for the verdict on the device.", of_device, all[i].verdict);
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
    add_verdict(exposition, "gpucheck_machine_verdict", "1 for the verdict on the machine.", labels, machine->verdict);
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
  add_verdict(exposition, "gpucheck_run_verdict", "1 for the verdict on the run.", labels,
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
