#include "fleet/nodes/fleet.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/sanitize.hpp"
#include "fleet/merge.hpp"
#include "fleet/nodes/fleet_differences.hpp"
#include "fleet/nodes/fleet_history.hpp"
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

void lower(Verdict& verdict, Verdict other) {
  if (other == Verdict::failed || verdict == Verdict::failed) {
    verdict = Verdict::failed;
  } else if (other == Verdict::not_judged) {
    verdict = Verdict::not_judged;
  }
}

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
