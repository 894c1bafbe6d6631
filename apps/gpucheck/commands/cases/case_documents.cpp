#include "commands/cases/case_documents.hpp"

#include <nlohmann/json.hpp>

#include "harness/run/json.hpp"
#include "output/document.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

using harness::Case;
using Json = nlohmann::ordered_json;

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
  const auto& program = test_case.program;
  json["program"] =
      program ? Json{{"folder", program->folder}, {"file", program->file}, {"digest", program->digest}} : Json(nullptr);
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
  return document_text(document);
}

std::string case_document(const Case& test_case, const golden::Golden* golden) {
  Json document{{"schema", "gpucheck.case/1"}};
  document.update(case_json(test_case));
  document["golden"] = golden == nullptr ? Json(nullptr) : golden_json(*golden);
  return document_text(document);
}

}  // namespace gpucheck::application
