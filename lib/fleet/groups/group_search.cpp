#include "fleet/groups/group_search.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "fleet/groups/queries.hpp"
#include "fleet/groups/situation.hpp"
#include "fleet/groups/suspicion.hpp"

namespace gpucheck::fleet {
namespace {

constexpr double probable = 0.8;          // a defect that is left out of further tests, and confirmed later
constexpr std::size_t silent_rounds = 3;  // rounds without any outcome that end a search

void check(const GroupFleet& fleet, const GroupSearchSettings& settings) {
  if (!fleet.switch_of_node.empty() && fleet.switch_of_node.size() != fleet.nodes) {
    throw UsageError(fmt::format("{} nodes, but the switches of {}: name the switch of each node, or of none",
                                 fleet.nodes, fleet.switch_of_node.size()));
  }
  for (const double rate : {settings.false_bad, settings.false_good}) {
    if (!(rate > 0 && rate <= 0.4)) {
      throw UsageError(fmt::format("{} as the share of wrong outcomes: it has to be above 0, and at most 0.4", rate));
    }
  }
  for (const double expected :
       {settings.expected_nodes, settings.expected_pairs, settings.expected_uplinks, settings.expected_switch_pairs}) {
    if (!(expected > 0 && expected < 1e9)) {
      throw UsageError(fmt::format("{} as a number of expected defects: it has to be above 0", expected));
    }
  }
  if (!(settings.confidence >= 0.5 && settings.confidence < 1)) {
    throw UsageError(fmt::format("confidence {}: it has to be at least 0.5, and below 1", settings.confidence));
  }
  if (!(settings.missed > 0 && settings.missed < 1)) {
    throw UsageError(fmt::format("missed {}: it has to be within 0 and 1", settings.missed));
  }
}

}  // namespace

class GroupSearch::State {
 public:
  State(GroupFleet fleet, const GroupSearchSettings& settings)
      : fabric_(fleet), log_(fabric_), settings_(settings), absent_(fleet.nodes) {
    if (settings_.most_tests == 0) settings_.most_tests = 100 + fleet.nodes;
  }

  const std::vector<GroupTest>& next_round();
  void learn(const std::vector<GroupOutcome>& outcomes);
  void set_absent(std::size_t node);
  [[nodiscard]] std::vector<Culprit> culprits() const;
  [[nodiscard]] std::vector<Unsettled> unsettled() const;
  [[nodiscard]] const std::vector<GroupResult>& results() const { return results_; }
  [[nodiscard]] std::size_t rounds() const { return rounds_; }
  [[nodiscard]] std::size_t nodes() const { return fabric_.nodes(); }

 private:
  [[nodiscard]] Situation situation(const std::vector<Defect>& known) const {
    return situation_of(fabric_, log_, settings_, known, absent_);
  }
  [[nodiscard]] Situation without_one(const Defect& found) const;
  std::vector<Region> find(const std::vector<Defect>& given_up);
  std::vector<Query> plan();
  std::optional<Defect> doubt(std::vector<Query>& queries, std::vector<char>& free);
  void add_round(const std::vector<Query>& queries);
  [[nodiscard]] std::vector<std::size_t> outer(const std::vector<std::size_t>& nodes) const;

  Fabric fabric_;
  TestLog log_;
  GroupSearchSettings settings_;
  std::vector<char> absent_;
  std::vector<Defect> known_;  ///< probable; those that are certain are culprits
  std::vector<GroupResult> results_;
  std::vector<std::size_t> number_of_test_;  ///< of each test of the log: its result
  std::vector<GroupTest> round_;
  bool planned_ = false;  ///< the round stands until its outcomes come
  bool ended_ = false;
  std::size_t rounds_ = 0;
  std::size_t silent_ = 0;
};

Situation GroupSearch::State::without_one(const Defect& found) const {
  std::vector<Defect> others = known_;
  std::erase(others, found);
  return situation(others);
}

/// Finds regions; what is probable in one is set aside, until nothing more is.
std::vector<Region> GroupSearch::State::find(const std::vector<Defect>& given_up) {
  while (true) {
    std::vector<Region> regions = find_regions(situation(known_));
    bool found = false;
    for (const Region& region : regions) {
      const auto likeliest = region.beliefs.likeliest(1);
      if (likeliest.empty()) continue;
      const auto& [weight, defect] = likeliest.front();
      if (weight < probable * (region.beliefs.none() + region.beliefs.all())) continue;
      if (std::ranges::find(known_, defect) != known_.end()) continue;
      if (std::ranges::find(given_up, defect) != given_up.end()) continue;
      known_.push_back(defect);
      found = true;
    }
    if (!found) return regions;
  }
}

/// Tests that confirm what was found.
/// @return what was found and turns out not to be probable, if there is such a thing: it is given up.
std::optional<Defect> GroupSearch::State::doubt(std::vector<Query>& queries, std::vector<char>& free) {
  for (const Defect& found : std::vector<Defect>(known_)) {
    const Situation others = without_one(found);
    const Suspicion suspicion = suspicion_of(others, found);
    if (suspicion.is_certain(settings_.confidence)) continue;
    if (!suspicion.region || suspicion.probability < 0.5) {
      std::erase(known_, found);
      return found;
    }
    std::vector<char> may = free;
    if (found.kind == CulpritKind::node) may[found.a] = 1;
    auto query = best_query(others, *suspicion.region, may);
    if (!query) continue;
    for (const std::size_t node : query->nodes) free[node] = 0;
    queries.push_back(std::move(*query));
  }
  return std::nullopt;
}

std::vector<Query> GroupSearch::State::plan() {
  std::vector<Defect> given_up;
  while (true) {
    const std::vector<Region> regions = find(given_up);
    const Situation now = situation(known_);
    std::vector<char> free(fabric_.nodes(), 0);
    for (const std::size_t node : now.live) free[node] = 1;
    std::vector<Query> queries;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      std::vector<char> may = free;
      for (std::size_t other = 0; other < regions.size(); ++other) {
        if (other == r) continue;
        for (const std::size_t node : regions[other].nodes) may[node] = 0;
      }
      auto query = best_query(now, regions[r], may);
      for (const std::size_t node : regions[r].nodes) free[node] = 0;
      if (!query) continue;
      for (const std::size_t node : query->nodes) free[node] = 0;
      queries.push_back(std::move(*query));
    }
    std::vector<Query> clearing = clearing_queries(now, regions);
    std::erase_if(clearing, [&](const Query& query) {
      return std::ranges::any_of(query.nodes, [&](std::size_t node) { return free[node] == 0; });
    });
    for (Query& query : clearing) {
      for (const std::size_t node : query.nodes) free[node] = 0;
      queries.push_back(std::move(query));
    }
    const auto doubted = doubt(queries, free);
    if (!doubted) return queries;
    given_up.push_back(*doubted);
  }
}

void GroupSearch::State::add_round(const std::vector<Query>& queries) {
  for (const Query& query : queries) {
    if (results_.size() + round_.size() >= settings_.most_tests) break;
    round_.push_back({outer(query.nodes)});
  }
}

const std::vector<GroupTest>& GroupSearch::State::next_round() {
  if (planned_ || ended_) return round_;
  round_.clear();
  if (silent_ < silent_rounds) add_round(plan());
  ended_ = round_.empty();
  planned_ = true;
  return round_;
}

void GroupSearch::State::learn(const std::vector<GroupOutcome>& outcomes) {
  if (!planned_ || outcomes.size() != round_.size()) {
    throw UsageError(fmt::format("{} outcomes of a round of {} tests: tell one for each", outcomes.size(),
                                 planned_ ? round_.size() : 0));
  }
  bool silent = true;
  for (std::size_t i = 0; i < round_.size(); ++i) {
    if (outcomes[i] != GroupOutcome::unknown) {
      std::vector<std::size_t> nodes;
      for (const std::size_t node : round_[i].nodes) nodes.push_back(fabric_.inner(node));
      log_.add(nodes, outcomes[i] == GroupOutcome::bad);
      number_of_test_.push_back(results_.size());
      silent = false;
    }
    results_.push_back({std::move(round_[i]), outcomes[i], rounds_});
  }
  silent_ = silent ? silent_ + 1 : 0;
  if (!ended_) ++rounds_;
  round_.clear();
  planned_ = ended_;
}

void GroupSearch::State::set_absent(std::size_t node) {
  if (node >= fabric_.nodes()) {
    throw UsageError(fmt::format("node {} never came, but there are {} nodes, numbered from 0", node, fabric_.nodes()));
  }
  absent_[fabric_.inner(node)] = 1;
  std::erase_if(known_, [&](const Defect& defect) {
    return defect.kind == CulpritKind::node && defect.a == fabric_.inner(node);
  });
  round_.clear();
  planned_ = ended_ = false;
}

std::vector<std::size_t> GroupSearch::State::outer(const std::vector<std::size_t>& nodes) const {
  std::vector<std::size_t> result;
  result.reserve(nodes.size());
  for (const std::size_t node : nodes) result.push_back(fabric_.outer(node));
  std::ranges::sort(result);
  return result;
}

std::vector<Culprit> GroupSearch::State::culprits() const {
  std::vector<Culprit> culprits;
  for (std::size_t node = 0; node < absent_.size(); ++node) {
    if (absent_[node] != 0) culprits.push_back({CulpritKind::node, {fabric_.outer(node)}, true, 1, {}});
  }
  if (is_contradicted(situation(known_))) return culprits;
  for (const Defect& found : known_) {
    const Suspicion suspicion = suspicion_of(without_one(found), found);
    if (!suspicion.is_certain(settings_.confidence)) continue;
    culprits.push_back(
        {found.kind, fabric_.outer_members(found), false, suspicion.probability, std::move(suspicion.evidence)});
  }
  std::ranges::sort(culprits, {}, [](const Culprit& culprit) { return std::pair(culprit.kind, culprit.members); });
  return culprits;
}

std::vector<Unsettled> GroupSearch::State::unsettled() const {
  const Situation now = situation(known_);
  std::vector<Unsettled> result;
  if (!ended_) {
    if (!now.live.empty()) result.push_back({outer(now.live), "the search has not ended"});
    return result;
  }
  const std::vector<Region> regions = find_regions(now);
  if (is_contradicted(now)) {
    std::vector<std::size_t> nodes;
    for (std::size_t node = 0; node < fabric_.nodes(); ++node) {
      if (absent_[node] == 0) nodes.push_back(node);
    }
    return {{outer(nodes), "outcomes contradict each other more often than is expected of them"}};
  }
  for (const Region& region : regions) {
    result.push_back({outer(region.nodes), "something among them is bad, and no test shows what"});
  }
  for (const Defect& found : known_) {
    const Suspicion suspicion = suspicion_of(without_one(found), found);
    if (suspicion.is_certain(settings_.confidence) || !suspicion.region) continue;
    result.push_back({outer(suspicion.region->nodes), "something among them is bad, and what it is was not confirmed"});
  }
  const Clearance rest = clearance_of(now, regions);
  if (rest.risk > settings_.missed || !rest.all_together) {
    std::vector<std::size_t> nodes = now.live;
    for (const Region& region : regions) {
      std::erase_if(nodes, [&](std::size_t node) { return std::ranges::binary_search(region.nodes, node); });
    }
    result.push_back({outer(nodes), "no good group shows that they work together"});
  }
  return result;
}

GroupSearch::GroupSearch(GroupFleet fleet, const GroupSearchSettings& settings) {
  check(fleet, settings);
  state_ = std::make_unique<State>(std::move(fleet), settings);
}
GroupSearch::GroupSearch(GroupSearch&&) noexcept = default;
GroupSearch& GroupSearch::operator=(GroupSearch&&) noexcept = default;
GroupSearch::~GroupSearch() = default;

const std::vector<GroupTest>& GroupSearch::next_round() { return state_->next_round(); }
void GroupSearch::learn(const std::vector<GroupOutcome>& outcomes) { state_->learn(outcomes); }
void GroupSearch::set_absent(std::size_t node) { state_->set_absent(node); }
std::vector<Culprit> GroupSearch::culprits() const { return state_->culprits(); }
std::vector<Unsettled> GroupSearch::unsettled() const { return state_->unsettled(); }
const std::vector<GroupResult>& GroupSearch::results() const { return state_->results(); }
std::size_t GroupSearch::rounds() const { return state_->rounds(); }

}  // namespace gpucheck::fleet
