#include "acceptance/contract/contract.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/text/count_text.hpp"
#include "base/text/strict_json.hpp"
#include "harness/run/json.hpp"

namespace gpucheck::acceptance {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Place, std::string_view>, 5> places{{{Place::machine, "machine"},
                                                                    {Place::once, "once"},
                                                                    {Place::each_device, "each_device"},
                                                                    {Place::each_group, "each_group"},
                                                                    {Place::all_devices, "all_devices"}}};

Place place_of(const std::string& word) {
  const auto* const found = std::ranges::find(places, word, &std::pair<Place, std::string_view>::second);
  if (found == places.end()) throw Error(fmt::format("\"{}\" is not a place of a case", word));
  return found->first;
}

RequiredCase case_of(const std::string& name, const Json& json) {
  return {.name = name,
          .place = place_of(json.at("on").get<std::string>()),
          .devices = json.at("devices").get<int>(),
          .golden = json.at("golden").get<std::string>(),
          .parameters = harness::parameter_values_from_json(json.at("parameters"))};
}

Contract contract_of(std::string_view text) {
  const Json json = parse_strict_json(text, 8);
  if (json.at("schema") != "gpucheck.contract/1") throw Error("its schema is not gpucheck.contract/1");
  Contract contract{.text = std::string(text),
                    .name = json.at("name").get<std::string>(),
                    .version = json.at("version").get<std::string>(),
                    .suite = json.at("suite").get<std::string>(),
                    .device_kind = json.at("device_kind").get<std::string>(),
                    .minimum_devices = json.at("minimum_devices").get<int>(),
                    .minimum_repetitions = json.at("minimum_repetitions").get<int>(),
                    .allowed_options = json.at("allowed_options").get<std::vector<std::string>>(),
                    .allowed_configuration_keys = json.at("allowed_configuration_keys").get<std::vector<std::string>>(),
                    .allowed_settings = json.at("allowed_settings").get<std::vector<std::string>>(),
                    .limits = json.at("limits").get<std::string>(),
                    .cases = {}};
  for (const auto& [name, one] : json.at("cases").items()) contract.cases.push_back(case_of(name, one));
  if (contract.cases.empty()) throw Error("it asks for no case");
  if (!std::ranges::is_sorted(contract.cases, {}, &RequiredCase::name)) throw Error("its cases are not in order");
  return contract;
}

std::string_view place_text(Place place) {
  constexpr std::array<std::string_view, 5> texts{"once, about the machine", "once, on any GPU", "on each GPU",
                                                  "on neighbours, each GPU in one group at least",
                                                  "on all GPUs together"};
  return texts[static_cast<std::size_t>(place)];
}

}  // namespace

std::string_view to_text(Place place) noexcept { return places[static_cast<std::size_t>(place)].second; }

Contract Contract::parse(std::string_view text) {
  try {
    return contract_of(text);
  } catch (const nlohmann::json::exception& problem) {
    throw Error(fmt::format("this is not a contract: {}", problem.what()));
  } catch (const Error& problem) {
    throw Error(fmt::format("this is not a contract: {}", problem.what()));
  }
}

const RequiredCase* Contract::find(std::string_view case_name) const {
  const auto found = std::ranges::lower_bound(cases, case_name, {}, &RequiredCase::name);
  return found == cases.end() || found->name != case_name ? nullptr : &*found;
}

std::string contract_text(const Contract& contract) {
  std::string text = fmt::format(
      "{}: {} must pass on every node that has {} or more\n\nrun       gpucheck run --suite {}\ndevices   {}\n"
      "passes    {} of each case on each of its devices, a failure is never outweighed\n"
      "skips     only of cases that need more GPUs than the node has\n"
      "retries   none, but of what failed by its speed alone\n"
      "limits    those built in, SHA-256 {}\noptions   any but these voids it: {}\n"
      "keys      of a configuration file, likewise: {}\n",
      contract.title(), count_text(contract.cases.size(), "case"),
      count_text(static_cast<std::size_t>(contract.minimum_devices), "GPU"), contract.suite, contract.device_kind,
      contract.minimum_repetitions, contract.limits, fmt::join(contract.allowed_options, " "),
      fmt::join(contract.allowed_configuration_keys, " "));
  for (const auto& [place, _] : places) {
    std::string lines;
    for (const RequiredCase& one : contract.cases) {
      if (one.place != place) continue;
      lines += fmt::format("  {:<40} {}\n", one.name, one.golden);
    }
    if (!lines.empty()) text += fmt::format("\n{} (case, SHA-256 of its golden file)\n{}", place_text(place), lines);
  }
  return text;
}

}  // namespace gpucheck::acceptance
