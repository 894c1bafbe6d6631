#include "fleet/nodes/fleet.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/sanitize.hpp"
#include "fleet/merge.hpp"
#include "fleet/nodes/fleet_history.hpp"
#include "fleet/nodes/fleet_settings.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Verdict;

/// Among several, a run of nothing but skips has shown nothing, whatever it exited with.
Verdict verdict_of(const harness::RunFinished& end) {
  if (harness::is_only_skips(end.counts)) return Verdict::not_judged;
  const int code = exit_code_of(end);
  if (code == static_cast<int>(harness::ExitCode::failed)) return Verdict::failed;
  return code == 0 ? Verdict::passed : Verdict::not_judged;
}

/// A failure outweighs what was not judged.
void lower(Verdict& verdict, Verdict other) {
  if (other == Verdict::failed || verdict == Verdict::failed) {
    verdict = Verdict::failed;
  } else if (other == Verdict::not_judged) {
    verdict = Verdict::not_judged;
  }
}

std::set<std::string_view> uuids_of(const KeptRun& run) {
  std::set<std::string_view> uuids;
  for (const harness::DeviceIdentity& device : run.start.devices) {
    uuids.insert(device.uuid.empty() ? device.pci_bus_id : device.uuid);
  }
  return uuids;
}

/// A case that both hold on one device; null where there is none.
const std::string* judged_by_both(const KeptRun& one, const KeptRun& other) {
  const std::set<std::string_view> devices = uuids_of(one);
  const auto is_shared = [&](std::string_view uuid) { return devices.contains(uuid); };
  const bool without_devices = one.start.devices.empty() || other.start.devices.empty();
  if (!without_devices && std::ranges::none_of(uuids_of(other), is_shared)) return nullptr;
  for (const KeptCase& of_one : one.cases) {
    const auto of_other = std::ranges::lower_bound(
        other.cases, *of_one.name, {}, [](const KeptCase& kept) -> const std::string& { return *kept.name; });
    if (of_other != other.cases.end() && *of_other->name == *of_one.name) return of_one.name;
  }
  return nullptr;
}

/// A case that two runs judged on the same device has two verdicts, and nobody can say which one counts.
void check_judged_once(FleetNode& node, const std::vector<KeptRun>& runs) {
  for (std::size_t i = 0; i < node.runs.size(); ++i) {
    for (std::size_t j = i + 1; j < node.runs.size(); ++j) {
      const KeptRun& one = runs[node.runs[i]];
      const KeptRun& other = runs[node.runs[j]];
      const std::string* const name = judged_by_both(one, other);
      if (name == nullptr) continue;
      lower(node.verdict, Verdict::not_judged);
      node.reasons.push_back(fmt::format("{} and {} both hold {} on the same device: keep the one that counts",
                                         one.file, other.file, one_line(*name, 80)));
    }
  }
}

/// A GPU whose process left no file is one that nobody looked at.
void check_processes(FleetNode& node, const std::vector<KeptRun>& runs) {
  std::map<std::tuple<std::string, std::string, int>, std::set<int>> ranks_of_step;
  for (const std::size_t run : node.runs) {
    const std::optional<harness::Job>& job = runs[run].start.job;
    if (job && job->local_size && job->local_rank) {
      ranks_of_step[{job->engine, job->id, *job->local_size}].insert(*job->local_rank);
    }
  }
  for (const auto& [step, ranks] : ranks_of_step) {
    const auto& [engine, id, size] = step;
    const auto reported = static_cast<std::size_t>(
        std::ranges::count_if(ranks, [size = size](int rank) { return rank >= 0 && rank < size; }));
    if (size <= 0 || reported == static_cast<std::size_t>(size)) continue;
    int first = 0;
    while (ranks.contains(first)) ++first;
    lower(node.verdict, Verdict::not_judged);
    node.reasons.push_back(fmt::format("{} of its {} processes in job {} left no journal, the first with local rank {}",
                                       static_cast<std::size_t>(size) - reported, size,
                                       id.empty() ? engine : one_line(id, 80), first));
  }
}

std::vector<FleetNode> nodes_of(const std::vector<KeptRun>& runs) {
  std::map<std::string, FleetNode> by_name;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    FleetNode& node = by_name[runs[i].start.host_name];
    const Verdict verdict = verdict_of(runs[i].end);
    if (node.runs.empty()) node.verdict = verdict;
    lower(node.verdict, verdict);
    node.runs.push_back(i);
    if (!runs[i].end.incomplete.empty()) {
      node.reasons.push_back(fmt::format("{}: {}", runs[i].file, one_line(runs[i].end.incomplete)));
    }
  }
  std::vector<FleetNode> nodes;
  for (auto& [name, node] : by_name) {
    node.name = name;
    check_judged_once(node, runs);
    check_processes(node, runs);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// ---- what nodes have in common -----------------------------------------------------------

/// What a node has, of a thing that all should have alike.
using Trait = std::function<std::string(const FleetNode&, const std::vector<KeptRun>&)>;

std::string joined(const std::set<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

std::string version_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> versions;
  for (const std::size_t run : node.runs) versions.insert(runs[run].start.version);
  return joined(versions);
}

std::string driver_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> versions;
  for (const std::size_t run : node.runs) {
    for (const harness::DeviceIdentity& device : runs[run].start.devices) {
      versions.insert(device.driver_version.empty() ? "not known" : device.driver_version);
    }
  }
  return versions.empty() ? "not known" : joined(versions);
}

std::string gpus_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::map<std::string, std::set<std::string>> uuids_by_name;
  for (const std::size_t run : node.runs) {
    for (const harness::DeviceIdentity& device : runs[run].start.devices) {
      uuids_by_name[device.name].insert(device.uuid.empty() ? fmt::format("{} {}", run, device.index) : device.uuid);
    }
  }
  std::set<std::string> texts;
  for (const auto& [name, uuids] : uuids_by_name) texts.insert(fmt::format("{} x {}", uuids.size(), name));
  return texts.empty() ? "none" : joined(texts);
}

std::string settings_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<std::string> texts;
  for (const std::size_t run : node.runs) texts.insert(settings_text(runs[run]));
  return joined(texts);
}

std::set<const std::string*> cases_of(const FleetNode& node, const std::vector<KeptRun>& runs) {
  std::set<const std::string*> names;
  for (const std::size_t run : node.runs) {
    for (const KeptCase& one : runs[run].cases) names.insert(one.name);
  }
  return names;
}

/// Puts nodes that have the same together; the share of most nodes comes first. Marks the nodes of the others.
template <typename Value>
void find_difference(Fleet& fleet, std::string what, const std::vector<Value>& of_node,
                     const std::function<std::string(const Value& value, const Value& usual)>& words) {
  std::map<Value, std::vector<std::size_t>> nodes_with;
  for (std::size_t i = 0; i < of_node.size(); ++i) nodes_with[of_node[i]].push_back(i);
  if (nodes_with.size() < 2) return;
  std::vector<std::pair<Value, std::vector<std::size_t>>> shares(nodes_with.begin(), nodes_with.end());
  // Shares of one size are ordered by their first nodes: an order that no address decides.
  std::ranges::sort(shares, [](const auto& one, const auto& other) {
    return std::pair(other.second.size(), one.second.front()) < std::pair(one.second.size(), other.second.front());
  });
  Difference& difference = fleet.differences.emplace_back();
  difference.what = std::move(what);
  const Value& usual = shares.front().first;
  const std::string usual_words = words(usual, usual);
  for (const auto& [value, nodes] : shares) {
    const Difference::Share& share = difference.shares.emplace_back(Difference::Share{words(value, usual), nodes});
    if (difference.shares.size() == 1) continue;
    for (const std::size_t place : nodes) {
      lower(fleet.nodes[place].verdict, Verdict::not_judged);
      fleet.nodes[place].reasons.push_back(
          fmt::format("its {}: {}, where {} {} {}", difference.what, share.value, shares.front().second.size(),
                      shares.front().second.size() == 1 ? "node has" : "nodes have", usual_words));
    }
  }
}

void find_difference(Fleet& fleet, std::string what, const Trait& trait) {
  std::vector<std::string> values;
  for (const FleetNode& node : fleet.nodes) values.push_back(trait(node, fleet.runs));
  find_difference<std::string>(fleet, std::move(what), values,
                               [](const std::string& value, const std::string&) { return one_line(value, 300); });
}

using Names = std::set<const std::string*>;

std::string case_words(const Names& names, const Names& usual) {
  std::set<std::string> lacking;
  std::set<std::string> besides;
  for (const std::string* name : usual) {
    if (!names.contains(name)) lacking.insert(one_line(*name, 80));
  }
  for (const std::string* name : names) {
    if (!usual.contains(name)) besides.insert(one_line(*name, 80));
  }
  std::string text = fmt::format("{} {}", names.size(), names.size() == 1 ? "case" : "cases");
  const auto add = [&text](std::string_view word, const std::set<std::string>& some) {
    constexpr std::size_t shown = 3;
    if (some.empty()) return;
    std::vector<std::string> first(some.begin(),
                                   std::next(some.begin(), static_cast<int>(std::min(shown, some.size()))));
    text += fmt::format(", {} {}", word, fmt::join(first, ", "));
    if (some.size() > shown) text += fmt::format(" and {} more", some.size() - shown);
  };
  add("without", lacking);
  add("with", besides);
  return text;
}

void find_differences(Fleet& fleet) {
  find_difference(fleet, "gpucheck", version_of);
  find_difference(fleet, "driver", driver_of);
  find_difference(fleet, "GPUs", gpus_of);
  find_difference(fleet, "settings", settings_of);
  std::vector<Names> cases;
  for (const FleetNode& node : fleet.nodes) cases.push_back(cases_of(node, fleet.runs));
  find_difference<Names>(fleet, "cases", cases, case_words);
}

// ---- who was expected ----------------------------------------------------------------------

void find_missing(Fleet& fleet) {
  std::set<std::string> reported;
  for (const FleetNode& node : fleet.nodes) reported.insert(node.name);
  for (const std::string& name : fleet.expected.names) {
    if (!reported.contains(name)) fleet.missing.push_back(name);
  }
  fleet.missing_count = fleet.missing.size();
  if (fleet.expected.names.empty()) {
    const std::size_t expected = fleet.expected.count.value_or(0);
    fleet.missing_count = expected > reported.size() ? expected - reported.size() : 0;
    return;
  }
  for (FleetNode& node : fleet.nodes) node.is_expected = std::ranges::binary_search(fleet.expected.names, node.name);
}

void fail_those_that_differ(Fleet& fleet) {
  std::vector<std::size_t> node_of(fleet.runs.size());
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    for (const std::size_t run : fleet.nodes[i].runs) node_of[run] = i;
  }
  for (const harness::Comparison& comparison : fleet.across.comparisons) {
    for (const harness::ComparedValue& one : comparison.values) {
      if (one.verdict != "fail" || one.waiver) continue;
      const Subject& subject = fleet.across.subjects.at(static_cast<std::size_t>(one.device));
      FleetNode& node = fleet.nodes[node_of[subject.run]];
      node.verdict = Verdict::failed;
      node.reasons.push_back(fmt::format("{} of {} differs from other nodes'", harness::name_of(comparison),
                                         one_line(subject.device.uuid, 80)));
    }
  }
}

/// Whoever looks again and finds a failure has found one.
void fail_by_second_look(Fleet& fleet, const std::vector<KeptRun>& again) {
  for (const KeptRun& run : again) {
    if (verdict_of(run.end) != Verdict::failed) continue;
    const auto node = std::ranges::find(fleet.nodes, run.start.host_name, &FleetNode::name);
    if (node == fleet.nodes.end()) continue;
    node->verdict = Verdict::failed;
    node->reasons.push_back(fmt::format("{}: the second measurement failed", run.file));
  }
}

/// More nodes than were expected are as doubtful as less: one of them is not what somebody thinks.
bool has_all_expected(const Fleet& fleet) {
  const bool too_many = fleet.expected.count && fleet.nodes.size() > *fleet.expected.count;
  return fleet.missing_count == 0 && !too_many && std::ranges::all_of(fleet.nodes, &FleetNode::is_expected);
}

Verdict verdict_of(const Fleet& fleet) {
  const bool is_whole = !fleet.nodes.empty() && has_all_expected(fleet) && fleet.problems.empty() &&
                        std::ranges::none_of(fleet.suspects, counts_against);
  Verdict verdict = is_whole ? Verdict::passed : Verdict::not_judged;
  for (const FleetNode& node : fleet.nodes) lower(verdict, node.verdict);
  return verdict;
}

}  // namespace

FleetJudge::FleetJudge(std::shared_ptr<const SharedTexts> texts) { fleet_.texts = std::move(texts); }

void FleetJudge::add(KeptRun run) {
  peers_.begin(run.start);
  for (const harness::CaseResult& result : run.comparable) peers_.add(result);
  run.comparable = {};
  fleet_.runs.push_back(std::move(run));
}

void FleetJudge::add(FileProblem problem) { fleet_.problems.push_back(std::move(problem)); }

void FleetJudge::add_again(KeptRun run) { again_.push_back(std::move(run)); }

Fleet FleetJudge::judge(const FleetRules& rules) {
  fleet_.expected = rules.expected;
  fleet_.problems.insert(fleet_.problems.end(), rules.problems.begin(), rules.problems.end());
  fleet_.nodes = nodes_of(fleet_.runs);
  find_missing(fleet_);
  find_differences(fleet_);
  std::vector<std::chrono::system_clock::time_point> dates;
  for (const KeptRun& run : fleet_.runs) dates.push_back(run.start.start_time);
  fleet_.across = waived_across(peers_, dates, rules.waivers);
  fail_those_that_differ(fleet_);
  find_suspects(fleet_, rules.racks, again_);
  find_drifting(fleet_, rules.history, again_);
  fail_by_second_look(fleet_, again_);
  fleet_.verdict = verdict_of(fleet_);
  return std::move(fleet_);
}

void add(harness::Counts& sum, const harness::Counts& counts) {
  harness::for_each_field(sum, [&counts](const auto& row, auto& count) { count += counts.*row.member; });
}

harness::Counts counts_of(const Fleet& fleet) {
  harness::Counts all;
  for (const KeptRun& run : fleet.runs) add(all, run.end.counts);
  return all;
}

}  // namespace gpucheck::fleet
