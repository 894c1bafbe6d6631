#include "harness/run/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/run/device_verdicts.hpp"
#include "report/formats/json_parts.hpp"
#include "report/result_order.hpp"
#include "report/run_set.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using harness::CaseResult;
using Json = nlohmann::ordered_json;

Json head_of(const harness::RunStarted& start) {
  Json head = {{"schema", "gpucheck.result/1"},      {"version", start.version},
               {"command_line", start.command_line}, {"start_time", utc_milliseconds(start.start_time)},
               {"host_name", start.host_name},       {"jobs", start.jobs}};
  head.update(harness::to_json(start.settings));
  if (start.configuration) head["config"] = harness::to_json(*start.configuration);
  if (start.job) head["job"] = harness::to_json(*start.job);
  head["site_cases"] = array_of(start.site_cases);
  head["golden_digest"] = start.golden_digest;
  head["devices"] = array_of(start.devices);
  return head;
}

/// Where the wall time went; null when that is not known.
Json wall_time_of(const harness::RunFinished& end) {
  const std::optional<Bound> bound = bound_of(end.device_times);
  if (!bound) return {};
  Json devices = Json::array();
  for (harness::DeviceTime time : end.device_times) {
    for (double* value : {&time.running_ms, &time.starting_ms, &time.idle_ms, &time.own_process_ms}) {
      *value = std::round(*value * 1000) / 1000;
    }
    devices.push_back(harness::to_json(time));
  }
  return {{"bound_by", bound->by}, {"device", bound->time.device}, {"devices", std::move(devices)}};
}

void add_verdicts(Json& document, const fleet::RunRecord& run) {
  harness::DeviceVerdicts verdicts;
  for (const CaseResult& result : run.results) verdicts.add(result);
  Json& devices = document["device_verdicts"] = Json::array();
  for (const harness::DeviceVerdict& one : verdicts.of(run.start.devices, run.end)) {
    Json device{{"device", one.device}};
    device.update(verdict_json(one));
    devices.push_back(std::move(device));
  }
  const auto machine = verdicts.of_machine(run.start.devices, run.end);
  document["machine_verdict"] = machine ? machine_verdict_json(*machine) : Json();
}

Json document_of(fleet::RunRecord run) {
  sort_as_selected(run.results, run.start.selected);
  Json document = head_of(run.start);
  document["counts"] = harness::to_json(run.end.counts);
  document["duration_ms"] = json_milliseconds(run.end.duration_ms);
  document["wall_time"] = wall_time_of(run.end);
  document["incomplete"] = run.end.incomplete.empty() ? Json() : Json(run.end.incomplete);
  document["interrupted_by_signal"] = run.end.interrupted_by_signal == 0 ? Json() : Json(run.end.interrupted_by_signal);
  document["exit_code"] = run.end.exit_code;
  document["cases"] = Json::array();
  for (const CaseResult& result : run.results) document["cases"].push_back(result_json(result));
  document["not_run"] = array_of(run.end.not_run);
  document["running"] = array_of(run.end.running);
  document["waivers"] = array_of(run.end.waivers);
  document["unproven_devices"] = run.end.unproven_devices;
  document["comparisons"] = array_of(run.end.comparisons);
  add_verdicts(document, run);
  return document;
}

}  // namespace

std::string json_document(fleet::RunRecord run) { return text_of(document_of(std::move(run))); }

std::string fleet_json_document(std::vector<fleet::RunRecord> runs, int exit_code, const fleet::AcrossRuns& across) {
  Json document = {{"schema", "gpucheck.fleet/1"}, {"exit_code", exit_code}, {"runs", Json::array()}};
  for (fleet::RunRecord& run : runs) document["runs"].push_back(document_of(std::move(run)));
  document["comparisons"] = Json::array();
  for (const harness::Comparison& comparison : across.comparisons) {
    document["comparisons"].push_back(json_across_runs(comparison, across.subjects));
  }
  return text_of(document);
}

std::string json_report(RunSet set) {
  if (set.is_one_run()) return json_document(std::move(set.runs.front()));
  return fleet_json_document(std::move(set.runs), set.exit_code, set.across);
}

}  // namespace gpucheck::report
