#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "acceptance/contract/verdict.hpp"
#include "base/digest.hpp"
#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "report/formats/json_parts.hpp"

namespace gpucheck::acceptance {
namespace {

using Json = nlohmann::ordered_json;
using harness::Verdict;

Json shortfalls_json(const std::vector<Shortfall>& list) {
  Json array = Json::array();
  for (const Shortfall& one : list) {
    array.push_back(
        {{"case", one.case_name}, {"device", one.device.empty() ? Json() : Json(one.device)}, {"reason", one.reason}});
  }
  return array;
}

Json node_json(const NodeStanding& node) {
  return {{"name", node.name},
          {"verdict", contract_word(node.verdict)},
          {"devices", node.devices},
          {"required", node.required},
          {"met", node.met},
          {"voids", node.voids},
          {"failed", shortfalls_json(node.failed)},
          {"not_judged", shortfalls_json(node.not_judged)},
          {"left_out", node.left_out}};
}

std::string_view heading(Verdict verdict) {
  if (verdict == Verdict::passed) return "MET";
  return verdict == Verdict::failed ? "NOT MET" : "NOT JUDGED";
}

std::string shortfall_lines(std::string_view word, const std::vector<Shortfall>& list) {
  std::string text;
  for (const Shortfall& one : list) {
    text += fmt::format("            {} {}{}{}: {}\n", word, one.case_name, one.device.empty() ? "" : " on ",
                        one.device, one.reason);
  }
  return text;
}

std::string node_text(const NodeStanding& node) {
  std::string text =
      fmt::format("{:<11} {}  {} of {} on {}\n", heading(node.verdict), one_line(node.name, 80), node.met,
                  count_text(node.required, "required result"), count_text(node.devices, "device"));
  for (const std::string& reason : node.voids) text += fmt::format("            void: {}\n", reason);
  text += shortfall_lines("failed", node.failed) + shortfall_lines("not judged:", node.not_judged);
  if (node.left_out > 0) text += fmt::format("            and {} more\n", node.left_out);
  return text;
}

}  // namespace

std::string standing_json(const Contract& contract, const Standing& standing) {
  Json document{
      {"schema", "gpucheck.acceptance/1"},
      {"contract", {{"name", contract.name}, {"version", contract.version}, {"sha256", sha256(contract.text)}}},
      {"verdict", contract_word(standing.verdict)},
      {"voids", standing.voids},
      {"fleet_verdict", harness::to_text(standing.fleet)},
      {"nodes", Json::array()}};
  for (const NodeStanding& node : standing.nodes) document["nodes"].push_back(node_json(node));
  return report::text_of(document);
}

std::string standing_text(const Contract& contract, const Standing& standing) {
  std::string text;
  std::size_t met = 0;
  for (const NodeStanding& node : standing.nodes) {
    if (node.verdict == Verdict::passed) {
      ++met;
    } else {
      text += node_text(node);
    }
  }
  for (const std::string& reason : standing.voids) text += fmt::format("void: {}\n", reason);
  if (standing.fleet != Verdict::passed && met == standing.nodes.size()) {
    text += fmt::format("the verdict on all that ran is \"{}\": gpucheck merge says why\n",
                        harness::to_text(standing.fleet));
  }
  return text + fmt::format("{:<11} {} by {} of {}\n", heading(standing.verdict), contract.title(), met,
                            count_text(standing.nodes.size(), "node"));
}

}  // namespace gpucheck::acceptance
