#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/text/sanitize.hpp"
#include "report/formats/json_parts.hpp"
#include "report/merged/merged_formats.hpp"
#include "report/merged/merged_words.hpp"
#include "report/wording.hpp"

namespace gpucheck::report {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const fleet::KeptRun& run) {
  Json json = {{"file", run.file},
               {"version", run.start.version},
               {"start_time", utc_milliseconds(run.start.start_time)},
               {"duration_ms", json_milliseconds(run.end.duration_ms)},
               {"exit_code", run.end.exit_code},
               {"incomplete", run.end.incomplete.empty() ? Json() : Json(run.end.incomplete)},
               {"settings", harness::to_json(run.start.settings)},
               {"job", run.start.job ? harness::to_json(*run.start.job) : Json()},
               {"site_cases", array_of(run.start.site_cases)},
               {"golden_digest", run.start.golden_digest},
               {"counts", harness::to_json(run.end.counts)},
               {"devices", array_of(run.start.devices)},
               {"device_verdicts", Json::array()}};
  for (const harness::DeviceVerdict& verdict : run.verdicts) {
    Json device = {{"device", verdict.device}};
    device.update(verdict_json(verdict));
    json["device_verdicts"].push_back(std::move(device));
  }
  json["machine_verdict"] = run.of_machine ? machine_verdict_json(*run.of_machine) : Json();
  json["not_passed"] = Json::array();
  for (const harness::CaseResult& result : run.troubles) json["not_passed"].push_back(result_json(result));
  json["not_passed_left_out"] = run.troubles_left_out;
  return json;
}

Json node_json(const fleet::Fleet& fleet, const fleet::FleetNode& node) {
  Json json = {{"name", node.name},
               {"verdict", harness::to_text(node.verdict)},
               {"expected", node.is_expected},
               {"reasons", reasons_of(fleet, node)},
               {"runs", Json::array()}};
  for (const std::size_t run : node.runs) json["runs"].push_back(run_json(fleet.runs[run]));
  return json;
}

Json difference_json(const fleet::Fleet& fleet, const fleet::Difference& difference) {
  Json json = {{"what", difference.what}, {"shares", Json::array()}};
  for (const fleet::Difference::Share& share : difference.shares) {
    Json names = Json::array();
    for (const std::size_t place : share.nodes) names.push_back(fleet.nodes[place].name);
    json["shares"].push_back({{"value", share.value}, {"nodes", std::move(names)}});
  }
  return json;
}

Json suspect_json(const fleet::Fleet& fleet, const fleet::FleetSuspect& suspect) {
  constexpr std::array<std::string_view, 4> scopes{"rack", "slot", "node", "gpu"};
  Json json = {{"scope", scopes[static_cast<std::size_t>(suspect.suspect.scope)]},
               {"place", suspect.place},
               {"node", suspect.nodes.empty() ? Json() : Json(fleet.nodes[suspect.nodes.front()].name)},
               {"uuid", suspect.device_uuid.empty() ? Json() : Json(suspect.device_uuid)},
               {"own_past",
                suspect.own_past ? Json{{"since", suspect.own_past->since}, {"runs", suspect.own_past->runs}} : Json()},
               {"second_look", second_look_word(suspect.second_look)},
               {"evidence", Json::array()}};
  for (const fleet::Evidence& one : suspect.suspect.evidence) {
    json["evidence"].push_back({{"metric", one.metric}, {"loss_ratio", one.loss}, {"standard_deviations", one.scores}});
  }
  return json;
}

}  // namespace

std::string merged_json(const fleet::Fleet& fleet) {
  const NodeCounts counts = count_nodes(fleet);
  Json document = {{"schema", "gpucheck.merged/1"},
                   {"verdict", harness::to_text(fleet.verdict)},
                   {"expected_nodes", fleet.expected.count ? Json(*fleet.expected.count) : Json()},
                   {"node_counts",
                    {{"passed", counts.passed},
                     {"failed", counts.failed},
                     {"not_judged", counts.not_judged},
                     {"missing", fleet.missing_count}}},
                   {"counts", harness::to_json(fleet::counts_of(fleet))},
                   {"missing", fleet.missing},
                   {"problems", Json::array()},
                   {"differences", Json::array()},
                   {"comparisons", Json::array()},
                   {"suspects", Json::array()},
                   {"nodes", Json::array()}};
  for (const fleet::FileProblem& one : fleet.problems) {
    document["problems"].push_back({{"path", one.path}, {"reason", one.reason}});
  }
  for (const fleet::Difference& one : fleet.differences) {
    document["differences"].push_back(difference_json(fleet, one));
  }
  for (const harness::Comparison& one : fleet.across.comparisons) {
    document["comparisons"].push_back(json_across_runs(one, fleet.across.subjects));
  }
  for (const fleet::FleetSuspect& one : fleet.suspects) document["suspects"].push_back(suspect_json(fleet, one));
  for (const fleet::FleetNode& node : fleet.nodes) document["nodes"].push_back(node_json(fleet, node));
  return text_of(document);
}

}  // namespace gpucheck::report
