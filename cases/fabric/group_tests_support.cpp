#include "cases/fabric/group_tests_support.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/text/units.hpp"
#include "cases/fabric/group_rounds_support.hpp"
#include "fleet/groups/group_readings.hpp"
#include "fleet/groups/group_search.hpp"

namespace gpucheck::cases::in_fabric {
namespace {

using namespace literals;
using fleet::Culprit;
using fleet::CulpritKind;
using fleet::GroupReading;
using fleet::GroupRun;
using fleet::GroupTest;
using fleet::GroupVerdict;
using in_bandwidth::Samples;
using in_ranks::RankLost;
using nlohmann::json;
using Clock = harness::Rendezvous::Clock;

constexpr std::uint64_t group_bytes_on_gpu = 128_MiB;

/// The share of what a rank sends that leaves its process, which is what the fabric carries: so that groups of few
/// nodes with several GPUs each, which send half of it among themselves, compare with large ones.
double share_of_others(int ranks, int own) { return static_cast<double>(ranks - own) / static_cast<double>(ranks - 1); }

/// A group's collective on this process. Every member measures: the slowest counts.
OwnReading measure(harness::Context& context, Assembly& assembly, const std::vector<std::size_t>& group,
                   const std::string& meeting, std::uint64_t bytes) {
  OwnReading reading;
  try {
    const Places places = assembly.places_in(group, meeting);
    Ranks ranks(context, in_ranks::all_devices(context), bytes, places);
    const Samples samples =
        ranks.measure(ranks.largest(device::CollectiveKind::all_to_all, device::ElementType::fp32, bytes));
    reading.gbps = samples.gbps() * share_of_others(places.size, static_cast<int>(context.device_count()));
    reading.mismatches = ranks.summary().mismatches;
    reading.why = ranks.first_mismatch();
    const bool verified = ranks.summary().percent_verified == 100;
    if (samples.measured() == samples.ms.size() && verified && ranks.is_healthy()) return reading;
    reading.run = GroupRun::failed;
    reading.why = verified ? "no time passed, or the library reports a failure" : "not all that arrived was compared";
  } catch (const RankLost& lost) {
    reading = {.run = GroupRun::absent, .why = lost.what()};
  } catch (const harness::Skip&) {
    throw;
  } catch (const Error& problem) {
    reading = {.run = GroupRun::failed, .why = problem.what()};
  }
  return reading;
}

/// The first process's part: which groups are next, and who is to blame.
class Coordinator {
 public:
  Coordinator(Assembly& assembly, double tolerance, double reference_gbps)
      : assembly_(assembly),
        search_(fleet_of(assembly.members())),
        judge_({.tolerance = tolerance, .reference_gbps = reference_gbps}),
        for_reference_(reference_gbps > 0 ? Rounds{} : rounds_for_reference(assembly.members().size())) {}

  /// The next round; once the search has ended, its end.
  [[nodiscard]] Round next() {
    Round round{.tests = tests_, .rounds = rounds_};
    if (rounds_ < for_reference_.size()) {
      round.groups = for_reference_[rounds_];
      return round;
    }
    for (const GroupTest& test : search_.next_round()) round.groups.push_back(test.nodes);
    if (round.groups.empty()) describe(round);
    return round;
  }

  /// Waits for what the members of the round's groups say.
  void learn(const Round& round, std::size_t number) {
    // A member may wait for the meeting, then for the others to join, then for the collective.
    const Clock::time_point deadline = Clock::now() + 4 * assembly_.patience();
    std::vector<GroupReading> readings;
    std::vector<std::size_t> silent;
    for (const std::vector<std::size_t>& group : round.groups) {
      readings.push_back(reading_of(group, number, deadline, silent));
    }
    std::vector<fleet::GroupOutcome> outcomes;
    for (const GroupVerdict& verdict : judge_.judge(readings)) {
      outcomes.push_back(verdict.outcome);
      speed_judged_ = speed_judged_ || verdict.speed_judged;
      if (verdict.reference_gbps > 0) reference_gbps_ = verdict.reference_gbps;
    }
    // What a group says that waited for somebody who was gone says nothing of the others.
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const auto is_silent = [&](std::size_t member) { return std::ranges::find(silent, member) != silent.end(); };
      if (std::ranges::any_of(round.groups[i], is_silent)) outcomes[i] = fleet::GroupOutcome::unknown;
    }
    if (rounds_ >= for_reference_.size()) search_.learn(outcomes);
    for (const std::size_t member : silent) search_.set_absent(member);
    ++rounds_;
    tests_ += round.groups.size();
  }

 private:
  static fleet::GroupFleet fleet_of(const std::vector<Member>& members) {
    fleet::GroupFleet fleet{.nodes = members.size(), .switch_of_node = {}};
    std::map<std::string, std::size_t> numbers;
    for (const Member& member : members) {
      if (member.leaf_switch.empty()) return {.nodes = members.size(), .switch_of_node = {}};
      fleet.switch_of_node.push_back(numbers.emplace(member.leaf_switch, numbers.size()).first->second);
    }
    return fleet;
  }

  /// @param silent gets those who say nothing.
  GroupReading reading_of(const std::vector<std::size_t>& group, std::size_t number, Clock::time_point deadline,
                          std::vector<std::size_t>& silent) {
    GroupReading reading{.run = GroupRun::completed, .nodes = group.size()};
    for (const std::size_t member : group) {
      const auto said = assembly_.get(reading_name(number, member), deadline);
      if (!said) {
        silent.push_back(member);
        continue;
      }
      const OwnReading own = reading_from(json::parse(*said));
      if (own.run != GroupRun::completed) reading.run = own.run;
      reading.mismatches += own.mismatches;
      if (reading.gbps == 0 || own.gbps < reading.gbps) reading.gbps = own.gbps;
    }
    return reading;
  }

  void describe(Round& round) const {
    for (const Culprit& culprit : search_.culprits()) {
      round.culprits.push_back(text_of(culprit));
      round.blamed.push_back(members_of(culprit));
    }
    for (const fleet::Unsettled& unsettled : search_.unsettled()) {
      round.unsettled.push_back(fmt::format("{}: {}", fmt::join(names_of(unsettled.nodes), ", "), unsettled.why));
    }
    round.speed_judged = speed_judged_;
    round.reference_gbps = reference_gbps_;
  }

  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::size_t>& members) const {
    std::vector<std::string> names;
    for (const std::size_t member : members) names.push_back(assembly_.members()[member].name);
    return names;
  }

  /// The members below a switch.
  [[nodiscard]] std::vector<std::size_t> below(std::size_t number) const {
    const fleet::GroupFleet fleet = fleet_of(assembly_.members());
    std::vector<std::size_t> members;
    for (std::size_t member = 0; member < fleet.nodes; ++member) {
      if (fleet.switch_of_node.at(member) == number) members.push_back(member);
    }
    return members;
  }

  [[nodiscard]] std::vector<std::size_t> members_of(const Culprit& culprit) const {
    if (culprit.kind == CulpritKind::node || culprit.kind == CulpritKind::pair) return culprit.members;
    std::vector<std::size_t> members;
    for (const std::size_t number : culprit.members) std::ranges::copy(below(number), std::back_inserter(members));
    return members;
  }

  [[nodiscard]] std::string text_of(const Culprit& culprit) const {
    const auto switch_name = [&](std::size_t number) { return assembly_.members()[below(number).front()].leaf_switch; };
    const std::vector<std::size_t>& members = culprit.members;
    switch (culprit.kind) {
      case CulpritKind::node:
        return fmt::format("node {}{}", names_of(members).front(), culprit.absent ? ", which stopped answering" : "");
      case CulpritKind::pair:
        return fmt::format("pair {}", fmt::join(names_of(members), " and "));
      case CulpritKind::uplink:
        return fmt::format("uplink of switch {}", switch_name(members.front()));
      case CulpritKind::switch_pair:
        break;
    }
    return fmt::format("between switches {} and {}", switch_name(members.front()), switch_name(members.back()));
  }

  Assembly& assembly_;
  fleet::GroupSearch search_;
  fleet::GroupJudge judge_;
  Rounds for_reference_;
  std::size_t rounds_ = 0;
  std::size_t tests_ = 0;
  bool speed_judged_ = false;
  double reference_gbps_ = 0;
};

/// A process's way through all rounds, to the last.
Round take_part(harness::Context& context, Assembly& assembly, std::uint64_t bytes,
                std::vector<std::string>& problems) {
  std::optional<Coordinator> coordinator;
  if (assembly.is_first()) {
    coordinator.emplace(assembly, context.parameter<double>("tolerance"), context.parameter<double>("reference_gbps"));
  }
  for (std::size_t number = 0;; ++number) {
    const std::string name = fmt::format("round.{}", number);
    if (coordinator) assembly.put(name, to_json(coordinator->next()).dump());
    // A round's end waits for its slowest member, and for those who are gone.
    const auto said = assembly.get(name, Clock::now() + 8 * assembly.patience());
    if (!said) throw Error(fmt::format("{} says nothing any more", assembly.members().front().name));
    const Round round = round_from(json::parse(*said));
    if (round.groups.empty()) return round;
    for (std::size_t i = 0; i < round.groups.size(); ++i) {
      const std::vector<std::size_t>& group = round.groups[i];
      if (std::ranges::find(group, assembly.own()) == group.end()) continue;
      const OwnReading own = measure(context, assembly, group, fmt::format("{}/meeting.{}", name, i), bytes);
      if (!own.why.empty()) problems.push_back(own.why);
      assembly.put(reading_name(number, assembly.own()), to_json(own).dump());
    }
    if (coordinator) coordinator->learn(round, number);
  }
}

}  // namespace

void run_group_tests(harness::Context& context) {
  const std::uint64_t bytes = in_bandwidth::buffer_bytes(context, group_bytes_on_gpu);
  Assembly assembly(context, bytes);
  context.observe("processes", assembly.members().size());
  context.observe("absent", assembly.absent());
  if (assembly.members().size() < 2) throw Error("no other process came: there is nobody to communicate with");
  std::vector<std::string> problems;
  const Round end = take_part(context, assembly, bytes, problems);
  std::vector<std::string> own;
  for (std::size_t i = 0; i < end.culprits.size(); ++i) {
    const std::vector<std::size_t>& blamed = end.blamed[i];
    if (std::ranges::find(blamed, assembly.own()) != blamed.end()) own.push_back(end.culprits[i]);
  }
  context.observe("tests", end.tests);
  context.observe("rounds", end.rounds);
  context.observe("reference_gbps", end.reference_gbps);
  context.observe("speed_judged", end.speed_judged);
  context.observe("culprits", end.culprits);
  context.observe("culprits_here", own);
  context.observe("unsettled", end.unsettled);
  context.observe("problems_here", problems);
}

std::vector<harness::Parameter> group_parameters() {
  return {in_bandwidth::bytes_parameter(group_bytes_on_gpu),
          patience_parameter(),
          {.name = "tolerance",
           .summary = "the share by which a group may be slower than the reference",
           .default_value = 0.15,
           .minimum = 0.01,
           .maximum = 0.9},
          {.name = "reference_gbps",
           .summary = "bus bandwidth that a good group reaches; 0: the upper quartile of all groups",
           .default_value = 0.0,
           .unit = "GB/s",
           .minimum = 0,
           .maximum = 1e6}};
}

std::vector<harness::Fault> group_faults() {
  std::vector<harness::Fault> faults = fabric_faults();
  // Where all are slow alike nobody is slow beside the others.
  std::erase_if(faults, [](const harness::Fault& fault) { return fault.name == "collectives_are_slow"; });
  return faults;
}

}  // namespace gpucheck::cases::in_fabric
