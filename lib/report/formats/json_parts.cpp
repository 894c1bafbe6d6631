#include "report/formats/json_parts.hpp"

#include <cmath>
#include <utility>

#include "base/text/sanitize.hpp"
#include "base/text/units.hpp"
#include "harness/result/failure_kinds.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using namespace literals;
using harness::CaseResult;
using Json = nlohmann::ordered_json;

constexpr std::size_t json_output_head_bytes = 16_KiB;
constexpr std::size_t json_output_tail_bytes = 48_KiB;

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

}  // namespace

Json json_milliseconds(double value) {
  return harness::to_json(harness::Value(std::isfinite(value) ? std::round(value * 1000) / 1000 : value));
}

Json result_json(const CaseResult& result) {
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

Json machine_verdict_json(const harness::DeviceVerdict& verdict) {
  Json json = verdict_json(verdict);
  json.erase("failed_comparisons");  // it has no peers here
  json.erase("recovery");            // the driver asks for one of a GPU
  return json;
}

Json json_across_runs(const harness::Comparison& comparison, const std::vector<fleet::Subject>& subjects) {
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

}  // namespace gpucheck::report
