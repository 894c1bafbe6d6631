#include "acceptance/contract/evidence.hpp"

#include <algorithm>
#include <concepts>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "acceptance/contract/rejudge.hpp"
#include "base/digest.hpp"
#include "base/text/sanitize.hpp"
#include "harness/result/outcome_text.hpp"
#include "report/journal/journal.hpp"

namespace gpucheck::acceptance {
namespace {

using harness::CaseResult;
using harness::Outcome;
using harness::RunFinished;
using harness::RunStarted;

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// "--repeat" of "--repeat=3", "-j" of "-j4".
std::string_view option_of(std::string_view word) {
  if (word.starts_with("--")) return word.substr(0, word.find('='));
  return word.substr(0, 2);
}

/// The words that are options, behind the program's name; a number may be negative.
std::vector<std::string> options_beside(const std::vector<std::string>& command_line, const Contract& contract) {
  std::vector<std::string> beside;
  for (std::size_t i = 1; i < command_line.size(); ++i) {
    const std::string& word = command_line[i];
    const bool is_option = word.size() > 1 && word.front() == '-' && (word[1] < '0' || word[1] > '9');
    if (!is_option) continue;
    const std::string option(option_of(word));
    if (!holds(contract.allowed_options, option) && !holds(beside, option)) beside.push_back(option);
  }
  return beside;
}

/// The run's settings that are neither at their defaults nor free.
std::vector<std::string> settings_beside(const harness::RunSettings& settings, const Contract& contract) {
  const harness::RunSettings defaults;
  std::vector<std::string> beside;
  harness::for_each_field(settings, [&](const auto& row, const auto& member) {
    const bool is_free = holds(contract.allowed_settings, row.name);
    if (!is_free && !(member == defaults.*row.member)) beside.emplace_back(row.name);
  });
  return beside;
}

std::vector<std::string> voids_of(const RunStarted& start, const Contract& contract) {
  std::vector<std::string> voids;
  for (const std::string& option : options_beside(start.command_line, contract)) {
    voids.push_back(fmt::format("the run had the option {}", one_line(option, 40)));
  }
  if (start.configuration) {
    for (const harness::ConfiguredSetting& setting : start.configuration->settings) {
      const std::string key = setting.key.substr(0, setting.key.find('.'));
      if (holds(contract.allowed_configuration_keys, key)) continue;
      voids.push_back(fmt::format("its configuration file sets {}", one_line(setting.key, 80)));
    }
  }
  for (const std::string& name : settings_beside(start.settings, contract)) {
    voids.push_back(fmt::format("the run had a setting of its own: {}", name));
  }
  for (const harness::DeviceIdentity& device : start.devices) {
    const std::string kind = device.kind == "sim" ? "simulated" : one_line(device.kind, 20);
    if (device.kind != contract.device_kind) {
      voids.push_back(fmt::format("device {} is {}, not {}", device.index, kind, contract.device_kind));
    } else if (!device.problem.empty()) {
      voids.push_back(fmt::format("device {} cannot be used: {}", device.index, one_line(device.problem, 200)));
    }
  }
  return voids;
}

/// Collects what one run shows.
class Examination {
 public:
  Examination(const Contract& contract, const golden::GoldenSet& goldens, RunEvidence& evidence)
      : contract_(contract), goldens_(goldens), evidence_(evidence) {}

  void see(const RunStarted& start) {
    evidence_.voids = voids_of(start, contract_);
    evidence_.host_name = start.host_name;
    evidence_.start_time = start.start_time;
    evidence_.devices = start.devices;
    start_ = start;
    start_.selected = {};
  }
  void see(const CaseResult& result) {
    check(result);
    names_.insert(result.name);
    const RequiredCase* const required = contract_.find(result.name);
    if (required != nullptr) count(result, *required);
  }
  void see(const RunFinished& end) {
    if (!end.waivers.empty()) evidence_.voids.emplace_back("the run had waivers");
    for (const CaseResult& result : end.remeasured) check(result);
    evidence_.case_names.assign(names_.begin(), names_.end());
    for (auto& [_, shown] : shown_) evidence_.shown.push_back(std::move(shown));
  }

 private:
  void check(const CaseResult& result) {
    constexpr std::size_t most = 20;
    const std::optional<std::string> found = difference(result, start_, goldens_);
    if (!found) return;
    if (evidence_.contradictions.size() == most) {
      ++evidence_.contradictions_left_out;
      return;
    }
    const std::string where = result.devices.empty() ? "" : fmt::format(" on device {}", result.devices.front());
    evidence_.contradictions.push_back(
        fmt::format("{}{}: {}", one_line(result.name, 80), where, one_line(*found, 400)));
  }

  void count(const CaseResult& result, const RequiredCase& required) {
    const auto place = static_cast<std::size_t>(&required - contract_.cases.data());
    std::vector<int> devices = result.devices;
    std::ranges::sort(devices);
    Shown& shown = shown_[{place, devices}];
    shown.required = place;
    shown.devices = devices;
    std::string reason = one_line(result.reason, 200);
    if (harness::is_failure(result.outcome)) {
      ++shown.failures;
    } else if (result.outcome == Outcome::error) {
      ++shown.unjudged;
    } else if (result.parameters != required.parameters) {
      ++shown.unjudged;
      reason = "it did not run with the contract's parameters";
    } else if (result.outcome == Outcome::pass && result.fault.empty()) {
      ++shown.passes;
      return;
    }
    if (shown.reason.empty()) shown.reason = fmt::format("{}: {}", harness::to_text(result.outcome), reason);
  }

  const Contract& contract_;
  const golden::GoldenSet& goldens_;
  RunEvidence& evidence_;
  RunStarted start_;
  std::set<std::string> names_;
  std::map<std::pair<std::size_t, std::vector<int>>, Shown> shown_;
};

}  // namespace

void rename(RunEvidence& evidence, std::string file) {
  evidence.run.file = file;
  evidence.file = std::move(file);
}

RunEvidence examine(std::string_view journal, const std::string& name, const Contract& contract,
                    const golden::GoldenSet& goldens, fleet::SharedTexts& texts) {
  RunEvidence evidence{.file = name, .host_name = {}, .start_time = {}, .digest = sha256(journal)};
  Examination examination(contract, goldens, evidence);
  const fleet::Waivers none;
  fleet::RunKeeper keeper(name, none, texts);
  report::read_exact_events(journal, name, [&](report::Event event) {
    std::visit(
        [&]<typename Kind>(Kind& one) {
          if constexpr (std::same_as<Kind, harness::CaseFinished>) examination.see(one.result);
          if constexpr (std::same_as<Kind, RunStarted> || std::same_as<Kind, RunFinished>) examination.see(one);
          if constexpr (!std::same_as<Kind, harness::CaseStarted>) keeper.on(std::move(one));
        },
        event);
  });
  evidence.run = keeper.take(false);
  return evidence;
}

}  // namespace gpucheck::acceptance
