#include "acceptance/contract/verdict.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/digest.hpp"
#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"

namespace gpucheck::acceptance {
namespace {

using harness::Verdict;

/// What a node has of one case, all of its runs together.
struct Sum {
  std::map<std::vector<std::string>, Shown> on;  ///< by the devices' names
  std::string skipped;                           ///< why, where that is all that is known
};

std::string name_of(const harness::DeviceIdentity& device) {
  const std::string& name = device.uuid.empty() ? device.pci_bus_id : device.uuid;
  return name.empty() ? fmt::format("device {}", device.index) : one_line(name, 80);
}

void add(Shown& sum, const Shown& shown) {
  sum.passes += shown.passes;
  sum.failures += shown.failures;
  sum.unjudged += shown.unjudged;
  if (sum.reason.empty()) sum.reason = shown.reason;
}

/// A node's runs, and what they show of each case.
class Node {
 public:
  Node(const Contract& contract, std::string name) : contract_(contract), sums_(contract.cases.size()) {
    standing_.name = std::move(name);
  }

  void add(const RunEvidence& evidence) {
    const std::vector<harness::DeviceIdentity>& devices = evidence.devices;
    for (const harness::DeviceIdentity& device : devices) devices_.insert(name_of(device));
    for (const std::string& reason : evidence.voids) {
      standing_.voids.push_back(fmt::format("{}: {}", evidence.file, reason));
    }
    for (const Shown& shown : evidence.shown) {
      std::vector<std::string> names;
      for (const int index : shown.devices) names.push_back(name_of(devices.at(static_cast<std::size_t>(index))));
      std::ranges::sort(names);
      Sum& sum = sums_[shown.required];
      const bool is_skip = shown.passes + shown.failures + shown.unjudged == 0;
      if (is_skip && sum.skipped.empty()) sum.skipped = shown.reason;
      if (!is_skip) acceptance::add(sum.on[names], shown);
    }
  }

  NodeStanding judge() {
    standing_.devices = devices_.size();
    if (standing_.devices < static_cast<std::size_t>(contract_.minimum_devices)) {
      standing_.voids.push_back(fmt::format("it has {}, the contract asks for {}",
                                            count_text(standing_.devices, "device"), contract_.minimum_devices));
    }
    for (std::size_t i = 0; i < contract_.cases.size(); ++i) judge(contract_.cases[i], sums_[i]);
    const bool is_whole = standing_.voids.empty() && standing_.met == standing_.required && standing_.required > 0;
    standing_.verdict = !standing_.failed.empty() ? Verdict::failed : is_whole ? Verdict::passed : Verdict::not_judged;
    return std::move(standing_);
  }

 private:
  void judge(const RequiredCase& required, const Sum& sum) {
    const auto there = static_cast<int>(devices_.size());
    if (required.place != Place::machine && required.devices > there) return;
    switch (required.place) {
      case Place::each_device:
        for (const std::string& device : devices_)
          settle(required, sum, device,
                 [&](const auto& names) { return names.size() == 1 && names.front() == device; });
        return;
      case Place::each_group:
        for (const std::string& device : devices_)
          settle(required, sum, device, [&](const auto& names) {
            return std::ssize(names) == required.devices && std::ranges::find(names, device) != names.end();
          });
        return;
      case Place::once:
        return settle(required, sum, "", [](const auto& names) { return names.size() == 1; });
      case Place::all_devices:
        return settle(required, sum, "", [there](const auto& names) { return std::ssize(names) == there; });
      case Place::machine:
        return settle(required, sum, "", [](const auto& names) { return names.empty(); });
    }
  }

  /// @param counts whether results on these devices are about it
  template <typename Counts>
  void settle(const RequiredCase& required, const Sum& sum, const std::string& device, const Counts& counts) {
    ++standing_.required;
    Shown all;
    for (const auto& [names, shown] : sum.on) {
      if (counts(names)) acceptance::add(all, shown);
    }
    if (all.failures > 0) return lack(standing_.failed, {required.name, device, all.reason});
    if (all.unjudged > 0) return lack(standing_.not_judged, {required.name, device, all.reason});
    if (all.passes >= contract_.minimum_repetitions) {
      ++standing_.met;
      return;
    }
    std::string reason = sum.skipped.empty() ? "it did not run there" : sum.skipped;
    if (all.passes > 0) {
      reason = fmt::format("it passed {}, the contract asks for {}", count_text(all.passes, "time"),
                           contract_.minimum_repetitions);
    }
    lack(standing_.not_judged, {required.name, device, std::move(reason)});
  }

  void lack(std::vector<Shortfall>& list, Shortfall shortfall) {
    if (list.size() < NodeStanding::most_shortfalls) {
      list.push_back(std::move(shortfall));
    } else {
      ++standing_.left_out;
    }
  }

  const Contract& contract_;
  std::vector<Sum> sums_;
  std::set<std::string> devices_;
  NodeStanding standing_;
};

/// Golden files of cases that ran, and limits, that are not the contract's.
std::vector<std::string> foreign_goldens(const Terms& terms, std::span<const RunEvidence> runs) {
  const Contract& contract = terms.contract;
  std::set<std::string> foreign;
  std::set<std::string> seen;
  for (const RunEvidence& run : runs) {
    for (const std::string& name : run.case_names) {
      const RequiredCase* const required = contract.find(name);
      if (required == nullptr || !seen.insert(name).second) continue;
      const std::optional<std::string_view> text = terms.goldens.text_of(name);
      if (!text || sha256(*text) != required->golden) foreign.insert(name);
    }
  }
  std::vector<std::string> voids;
  if (!foreign.empty()) {
    voids.push_back(fmt::format("golden files that are not those of {}: {}{}", contract.title(), *foreign.begin(),
                                foreign.size() == 1 ? "" : fmt::format(" and {} more", foreign.size() - 1)));
  }
  if (terms.has_site_limits) voids.emplace_back("limits of the site went before the contract's");
  if (sha256(terms.goldens.limits_text()) != contract.limits) {
    voids.push_back(fmt::format("the limits are not those of {}", contract.title()));
  }
  return voids;
}

}  // namespace

std::string_view contract_word(Verdict verdict) noexcept {
  if (verdict == Verdict::passed) return "met";
  return verdict == Verdict::failed ? "not_met" : "not_judged";
}

Standing stand(const Terms& terms, std::span<const RunEvidence> runs, std::span<const RunEvidence> again,
               Verdict fleet) {
  Standing standing{.voids = foreign_goldens(terms, runs), .fleet = fleet};
  std::map<std::string, Node> nodes;
  for (const RunEvidence& run : runs) {
    nodes.try_emplace(run.host_name, terms.contract, run.host_name).first->second.add(run);
  }
  for (const RunEvidence& run : again) {
    for (const std::string& reason : run.voids) {
      standing.voids.push_back(fmt::format("{}: {}", run.file, reason));
    }
  }
  for (auto& [_, node] : nodes) standing.nodes.push_back(node.judge());
  const auto all_are = [&](Verdict verdict) {
    return std::ranges::all_of(standing.nodes, [&](const NodeStanding& node) { return node.verdict == verdict; });
  };
  const bool any_failed =
      std::ranges::any_of(standing.nodes, [](const NodeStanding& node) { return node.verdict == Verdict::failed; });
  if (any_failed || fleet == Verdict::failed) {
    standing.verdict = Verdict::failed;
  } else if (fleet == Verdict::passed && standing.voids.empty() && !standing.nodes.empty() &&
             all_are(Verdict::passed)) {
    standing.verdict = Verdict::passed;
  }
  return standing;
}

JudgedRuns judge_runs(const Terms& terms, std::vector<RunEvidence> runs, std::vector<RunEvidence> again,
                      std::shared_ptr<const fleet::SharedTexts> texts) {
  fleet::FleetJudge judge(std::move(texts));
  for (RunEvidence& run : runs) judge.add(std::move(run.run));
  for (RunEvidence& run : again) judge.add_again(std::move(run.run));
  JudgedRuns judged{.fleet = judge.judge({.expected = terms.expected}), .standing = {}};
  judged.standing = stand(terms, runs, again, judged.fleet.verdict);
  return judged;
}

}  // namespace gpucheck::acceptance
