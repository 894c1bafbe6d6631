#include "golden/approve.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/compare.hpp"
#include "golden/content.hpp"
#include "golden/document/syntax.hpp"
#include "golden/layout.hpp"
#include "harness/result/outcome_text.hpp"

namespace gpucheck::golden {
namespace {

using Json = nlohmann::ordered_json;
using harness::Observation;
using harness::Value;

/// JSON has no number for what is not.
bool is_finite(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return std::isfinite(*real);
  const auto* reals = std::get_if<std::vector<double>>(&value);
  return reals == nullptr || std::ranges::all_of(*reals, [](double real) { return std::isfinite(real); });
}

Json proposal(const Value& seen) {
  Json expectation = Json::object();
  std::visit([&](const auto& held) { expectation["equals"] = held; }, seen);
  expectation["basis"] = unapproved_basis;
  return expectation;
}

Json proposal_instead_of(const Json& old, const Value& seen) {
  Json expectation = proposal(seen);
  for (const char* kept : {"failure", "warns", "note", "when"}) {
    if (old.contains(kept)) expectation[kept] = old[kept];
  }
  return expectation;
}

/// What sets the present run apart from those that the key's alternatives are for.
Json condition_for(const Entry& entry, const Conditions& conditions) {
  Json condition = {{"device", conditions.device_kind}};
  const auto has_allocator = [](const Expectation& alternative) { return alternative.allocator.has_value(); };
  if (std::ranges::any_of(entry.alternatives, has_allocator)) condition["allocator"] = conditions.allocator;
  return condition;
}

/// The alternatives of one key after `seen` (null: nothing); those for other devices stay.
Json updated(const Entry& entry, const Json& old, const Value* seen, const Conditions& conditions) {
  const Json olds = old.is_array() ? old : Json::array({old});
  Json alternatives = Json::array();
  for (std::size_t i = 0; i < olds.size(); ++i) {
    const Expectation& expectation = entry.alternatives[i];
    // A state that was warned of is not what should be expected from now on.
    const bool stands = seen != nullptr && (expectation.warns || accepts(expectation.matcher, *seen));
    if (!expectation.applies(conditions) || stands) {
      alternatives.push_back(olds[i]);
    } else if (seen != nullptr) {
      alternatives.push_back(proposal_instead_of(olds[i], *seen));
    }
  }
  if (seen != nullptr && entry.applicable(conditions) == nullptr) {
    alternatives.push_back(proposal(*seen));
    alternatives.back()["when"] = condition_for(entry, conditions);
  }
  return alternatives.size() == 1 ? alternatives.front() : alternatives;
}

const Value* find(const harness::Observations& observations, std::string_view key) {
  const auto found = std::find_if(observations.begin(), observations.end(),
                                  [key](const Observation& observation) { return observation.key == key; });
  return found == observations.end() ? nullptr : &found->value;
}

/// No key comes twice, so that none is looked for among those before it.
Json updated_expectations(const FileContent& content, const Json& old, const harness::CaseResult& result,
                          const Conditions& conditions) {
  Json::object_t expectations;
  for (const Entry& entry : content.entries) {
    Json alternatives = updated(entry, old[entry.key], find(result.observations, entry.key), conditions);
    if (!alternatives.empty()) expectations.emplace_back(entry.key, std::move(alternatives));
  }
  for (const auto& [key, value] : result.observations) {
    if (content.find(key) == nullptr) expectations.emplace_back(key, proposal(value));
  }
  return expectations;
}

void require_complete(const harness::CaseResult& result) {
  if (!harness::is_judged(result.outcome)) {
    throw EnvironmentError(
        fmt::format("{} ended as {}, so what it observed is not all there is: make it run to its end, "
                    "then approve",
                    result.name, harness::to_text(result.outcome)));
  }
  if (result.observations.empty()) {
    throw EnvironmentError(fmt::format("{} observed nothing, so there is nothing to approve", result.name));
  }
}

/// Every value that would have to be proposed is finite: what the file already has may be "informational".
void require_finite(const FileContent& content, const harness::CaseResult& result, const Conditions& conditions) {
  for (const auto& [key, value] : result.observations) {
    const Entry* const entry = content.find(key);
    const Expectation* const expectation = entry == nullptr ? nullptr : entry->applicable(conditions);
    if (is_finite(value) || (expectation != nullptr && accepts(expectation->matcher, value))) continue;
    throw EnvironmentError(fmt::format(
        "{} observed \"{}\" as {}, which no golden file can expect: let the case observe whether it is that, "
        "as true or false, then approve",
        result.name, key, harness::to_text(value)));
  }
}

}  // namespace

std::string propose(std::string_view old_text, std::string_view origin, const harness::CaseResult& result,
                    const Conditions& conditions) {
  require_complete(result);
  FileContent content{.origin = std::string(origin), .case_name = result.name, .entries = {}};
  Json document = {{"case", result.name}, {"expect", Json::object()}};
  if (!old_text.empty()) {
    content = parse_content(old_text, std::string(origin), Unapproved::accepted);
    if (content.case_name != result.name) {
      malformed(origin, "/case",
                fmt::format("expected {}, found {}", quotation(result.name), quotation(content.case_name)));
    }
    if (compare(content, result.observations, conditions).empty()) return std::string(old_text);
    document = Json::parse(old_text);
  }
  require_finite(content, result, conditions);
  document["expect"] = updated_expectations(content, document["expect"], result, conditions);
  std::string text = layout(document);
  // A case may observe more keys than a file may have.
  static_cast<void>(parse_content(text, std::string(origin), Unapproved::accepted));
  return text;
}

}  // namespace gpucheck::golden
