#include "commands/prove/proof_document.hpp"

#include <nlohmann/json.hpp>

#include "harness/run/json.hpp"
#include "output/document.hpp"
#include "output/version.hpp"

namespace gpucheck::application {

namespace {

using Json = nlohmann::ordered_json;

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
  return document_text(document);
}

}  // namespace gpucheck::application
