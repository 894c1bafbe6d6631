#include "harness/run/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/run/device_verdicts.hpp"
#include "report/result_order.hpp"
#include "report/run_set.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using namespace literals;
using harness::CaseResult;
using Json = nlohmann::ordered_json;

constexpr std::size_t json_output_head_bytes = 16_KiB;
constexpr std::size_t json_output_tail_bytes = 48_KiB;

/// Whole microseconds: what is beyond them is noise. JSON has no number for what is not
/// finite; that becomes a text.
Json json_milliseconds(double value) {
  return harness::to_json(harness::Value(std::isfinite(value) ? std::round(value * 1000) / 1000 : value));
}

template <typename T>
Json array_of(const std::vector<T>& elements) {
  Json array = Json::array();
  for (const T& element : elements) array.push_back(harness::to_json(element));
  return array;
}

Json attempts_of(const CaseResult& result) {
  Json attempts = array_of(result.earlier_attempts);
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    attempts[i]["duration_ms"] = json_milliseconds(result.earlier_attempts[i].duration_ms);
  }
  return attempts;
}

Json array_of_kinds(const std::vector<const harness::FailureKind*>& kinds) {
  Json array = Json::array();
  for (const harness::FailureKind* kind : kinds) array.push_back(harness::to_json(*kind));
  return array;
}

std::string shown_output(std::string_view raw) {
  return clean_text(cut_middle(raw, json_output_head_bytes, json_output_tail_bytes));
}

Json case_of(const CaseResult& result) {
  Json object = {{"name", result.name},
                 {"devices", result.devices},
                 {"outcome", harness::to_text(result.outcome)},
                 {"flaky", result.flaky},
                 {"reason", result.reason},
                 {"duration_ms", json_milliseconds(result.duration_ms)},
                 {"seed", result.seed},
                 {"repetition", result.repetition},
                 {"parameters", harness::to_json(result.parameters)}};
  if (result.deadline_extension_ms > 0)
    object["deadline_extension_ms"] = json_milliseconds(result.deadline_extension_ms);
  if (!result.fault.empty()) object["fault"] = result.fault;
  if (result.waiver) object["waiver"] = harness::to_json(*result.waiver);
  object["observations"] = harness::to_json(result.observations);
  object["mismatches"] = array_of(result.mismatches);
  object["warnings"] = array_of(result.warnings);
  object["measurements"] = array_of(result.measurements);
  object["failures"] = array_of_kinds(harness::failures_of(result));
  if (!result.telemetry.empty()) object["telemetry"] = array_of(result.telemetry);
  if (result.exit_code) object["exit_code"] = *result.exit_code;
  if (result.signal) object["signal"] = *result.signal;
  if (result.outcome != harness::Outcome::pass) {
    object["output_tail"] = shown_output(result.output_tail);
    object["error_tail"] = shown_output(result.error_tail);
  }
  object["attempts"] = attempts_of(result);
  object["rerun_command"] = shown_rerun_command(result);
  return object;
}

Json head_of(const harness::RunStarted& start) {
  Json head = {{"schema", "gpucheck.result/1"},      {"version", start.version},
               {"command_line", start.command_line}, {"start_time", utc_milliseconds(start.start_time)},
               {"host_name", start.host_name},       {"jobs", start.jobs}};
  head.update(harness::to_json(start.settings));
  if (start.configuration) head["config"] = harness::to_json(*start.configuration);
  if (start.job) head["job"] = harness::to_json(*start.job);
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

Json verdict_json(const harness::DeviceVerdict& one) {
  return {{"verdict", harness::to_text(one.verdict)},
          {"counts", harness::to_json(one.counts)},
          {"failed", one.failed},
          {"unjudged", one.unjudged},
          {"failed_by_others", one.failed_by_others},
          {"failed_comparisons", one.failed_comparisons},
          {"failures", array_of_kinds(one.failures)},
          {"recovery", one.recovery == nullptr ? Json() : harness::to_json(*one.recovery)}};
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
  Json& of_machine = document["machine_verdict"] = machine ? verdict_json(*machine) : Json();
  if (machine) {
    of_machine.erase("failed_comparisons");  // it has no peers here
    of_machine.erase("recovery");            // the driver asks for one of a GPU
  }
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
  for (const CaseResult& result : run.results) document["cases"].push_back(case_of(result));
  document["not_run"] = array_of(run.end.not_run);
  document["running"] = array_of(run.end.running);
  document["waivers"] = array_of(run.end.waivers);
  document["unproven_devices"] = run.end.unproven_devices;
  document["comparisons"] = array_of(run.end.comparisons);
  add_verdicts(document, run);
  return document;
}

/// A device of several runs is named by its run, and by what it is.
Json across_runs(const harness::Comparison& comparison, const std::vector<fleet::Subject>& subjects) {
  Json json = harness::to_json(comparison);
  for (Json& value : json["values"]) {
    const fleet::Subject& subject = subjects.at(value["device"].get<std::size_t>());
    Json named = {{"run", subject.run},
                  {"host_name", subject.host},
                  {"device", subject.device.index},
                  {"uuid", subject.device.uuid},
                  {"pci_bus_id", subject.device.pci_bus_id}};
    value.erase("device");
    named.update(value);
    value = std::move(named);
  }
  return json;
}

std::string text_of(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_document(fleet::RunRecord run) { return text_of(document_of(std::move(run))); }

std::string fleet_json_document(std::vector<fleet::RunRecord> runs, int exit_code, const fleet::AcrossRuns& across) {
  Json document = {{"schema", "gpucheck.fleet/1"}, {"exit_code", exit_code}, {"runs", Json::array()}};
  for (fleet::RunRecord& run : runs) document["runs"].push_back(document_of(std::move(run)));
  document["comparisons"] = Json::array();
  for (const harness::Comparison& comparison : across.comparisons) {
    document["comparisons"].push_back(across_runs(comparison, across.subjects));
  }
  return text_of(document);
}

std::string json_report(RunSet set) {
  if (set.is_one_run()) return json_document(std::move(set.runs.front()));
  return fleet_json_document(std::move(set.runs), set.exit_code, set.across);
}

}  // namespace gpucheck::report
