#include "fleet/groups/group_search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <ostream>
#include <set>

#include "base/error.hpp"
#include "fleet/groups/tests/simulated_fabric.hpp"

namespace gpucheck::fleet {

namespace simulated {

void PrintTo(const Planted& planted, std::ostream* out) {
  *out << fmt::format("{} of", static_cast<int>(planted.kind));
  for (const std::size_t member : planted.members) *out << ' ' << member;
}

}  // namespace simulated

namespace {

using simulated::finish;
using simulated::named;
using simulated::Planted;
using simulated::Runner;
using simulated::settings_for;
using simulated::SimulatedFabric;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

Planted bad_node(std::size_t node) { return {CulpritKind::node, {node}}; }
Planted bad_pair(std::size_t a, std::size_t b) { return {CulpritKind::pair, {a, b}}; }
Planted bad_uplink(std::size_t below) { return {CulpritKind::uplink, {below}}; }
Planted bad_switch_pair(std::size_t a, std::size_t b) { return {CulpritKind::switch_pair, {a, b}}; }

/// Three nodes below each switch.
SimulatedFabric fabric_of(std::size_t nodes, std::vector<Planted> planted, double noise = 0) {
  SimulatedFabric fabric{{nodes, {}}, std::move(planted), noise};
  for (std::size_t node = 0; node < nodes; ++node) fabric.fleet.switch_of_node.push_back(node / 3);
  return fabric;
}

GroupSearch searched(const SimulatedFabric& fabric, std::uint64_t seed = 1) {
  GroupSearch search(fabric.fleet, settings_for(fabric.noise));
  Runner runner(fabric, seed);
  finish(search, runner);
  return search;
}

/// Without noise, exactly what was planted is named, and all else is settled.
void expect_found(std::size_t nodes, const std::vector<Planted>& planted) {
  const GroupSearch search = searched(fabric_of(nodes, planted));
  EXPECT_EQ(named(search), planted) << nodes << " nodes, planted " << ::testing::PrintToString(planted);
  EXPECT_THAT(search.unsettled(), IsEmpty()) << nodes << " nodes, planted " << ::testing::PrintToString(planted);
}

TEST(GroupSearch, FindsEveryNodeOfSmallFabrics) {
  for (std::size_t nodes = 3; nodes <= 12; ++nodes) {
    for (std::size_t node = 0; node < nodes; ++node) expect_found(nodes, {bad_node(node)});
  }
}

TEST(GroupSearch, FindsEveryPairOfSmallFabrics) {
  for (std::size_t nodes = 3; nodes <= 12; ++nodes) {
    for (std::size_t b = 1; b < nodes; ++b) {
      for (std::size_t a = 0; a < b; ++a) expect_found(nodes, {bad_pair(a, b)});
    }
  }
}

TEST(GroupSearch, FindsEveryLinkOfSmallFabrics) {
  for (const std::size_t nodes : {9U, 12U}) {
    for (std::size_t b = 0; b < nodes / 3; ++b) {
      expect_found(nodes, {bad_uplink(b)});
      for (std::size_t a = 0; a < b; ++a) expect_found(nodes, {bad_switch_pair(a, b)});
    }
  }
}

TEST(GroupSearch, CallsTheOnlyLinkBetweenTwoSwitchesTheirPair) { expect_found(6, {bad_switch_pair(0, 1)}); }

TEST(GroupSearch, FindsTwoAndThreeDefectsAtOnce) {
  for (std::size_t b = 1; b < 12; ++b) {
    for (std::size_t a = 0; a < b; ++a) expect_found(12, {bad_node(a), bad_node(b)});
  }
  expect_found(12, {bad_node(0), bad_node(5), bad_node(11)});
  expect_found(12, {bad_node(3), bad_pair(0, 7)});
  expect_found(12, {bad_pair(0, 7), bad_pair(2, 11)});
  expect_found(12, {bad_node(1), bad_node(10), bad_pair(3, 4)});
  expect_found(24, {bad_node(20), bad_uplink(2)});
}

TEST(GroupSearch, ClearsAHealthyFabricWithoutNoiseInTwoRounds) {
  for (const std::size_t nodes : {2U, 3U, 12U, 232U}) {
    const GroupSearch search = searched(fabric_of(nodes, {}));
    EXPECT_THAT(search.culprits(), IsEmpty());
    EXPECT_THAT(search.unsettled(), IsEmpty());
    EXPECT_LE(search.rounds(), 2U);
  }
}

TEST(GroupSearch, FindsNodesWhereNobodyNamesSwitches) {
  SimulatedFabric fabric{{40, {}}, {bad_node(7), bad_pair(20, 33)}, 0};
  const GroupSearch search = searched(fabric);
  EXPECT_EQ(named(search), fabric.planted);
  EXPECT_THAT(search.unsettled(), IsEmpty());
}

TEST(GroupSearch, HandlesSwitchesOfAnyNumberAndOrder) {
  SimulatedFabric fabric{{12, {70, 9, 70, 9, 5, 5, 70, 9, 5, 70, 9, 5}}, {bad_uplink(9)}, 0};
  const GroupSearch search = searched(fabric);
  EXPECT_EQ(named(search), fabric.planted);
  EXPECT_THAT(search.unsettled(), IsEmpty());
}

TEST(GroupSearch, DoesNotSayWhichOfTwoNodesIsBad) {
  const GroupSearch search = searched(fabric_of(2, {bad_node(1)}));
  EXPECT_THAT(search.culprits(), IsEmpty());
  ASSERT_THAT(search.unsettled(), Not(IsEmpty()));
  EXPECT_THAT(search.unsettled()[0].nodes, ElementsAre(0, 1));
}

TEST(GroupSearch, NamesNobodyWhereNoGroupIsGood) {
  for (const std::size_t nodes : {2U, 3U, 8U, 24U}) {
    std::vector<Planted> all;
    for (std::size_t node = 0; node < nodes; ++node) all.push_back(bad_node(node));
    const GroupSearch search = searched(fabric_of(nodes, all));
    EXPECT_THAT(search.culprits(), IsEmpty());
    std::set<std::size_t> unsettled;
    for (const Unsettled& some : search.unsettled()) unsettled.insert(some.nodes.begin(), some.nodes.end());
    EXPECT_THAT(unsettled, SizeIs(nodes));
  }
}

TEST(GroupSearch, CannotTestANodeAlone) {
  GroupSearch one({1, {}});
  EXPECT_THAT(one.next_round(), IsEmpty());
  ASSERT_THAT(one.unsettled(), SizeIs(1));
  EXPECT_THAT(one.unsettled()[0].nodes, ElementsAre(0));

  GroupSearch none({0, {}});
  EXPECT_THAT(none.next_round(), IsEmpty());
  EXPECT_THAT(none.unsettled(), IsEmpty());
}

TEST(GroupSearch, NamesAnAbsentNodeWithoutATest) {
  const SimulatedFabric fabric = fabric_of(12, {bad_node(9)});
  GroupSearch search(fabric.fleet, settings_for(0));
  search.set_absent(4);
  Runner runner(fabric, 1);
  finish(search, runner);
  ASSERT_THAT(search.culprits(), SizeIs(2));
  EXPECT_TRUE(search.culprits()[0].absent);
  EXPECT_THAT(search.culprits()[0].members, ElementsAre(4));
  EXPECT_THAT(search.culprits()[1].members, ElementsAre(9));
  EXPECT_THAT(search.unsettled(), IsEmpty());
  for (const GroupResult& result : search.results()) EXPECT_THAT(result.test.nodes, Not(::testing::Contains(4)));
}

TEST(GroupSearch, GoesOnWhenANodeGoesAwayInTheMiddle) {
  const SimulatedFabric fabric = fabric_of(12, {bad_node(9)});
  GroupSearch search(fabric.fleet, settings_for(0));
  Runner runner(fabric, 1);
  std::vector<GroupOutcome> outcomes;
  for (const GroupTest& test : search.next_round()) outcomes.push_back(runner.run(test));
  search.learn(outcomes);
  search.set_absent(9);
  finish(search, runner);
  ASSERT_THAT(search.culprits(), SizeIs(1));
  EXPECT_TRUE(search.culprits()[0].absent);
  EXPECT_THAT(search.unsettled(), IsEmpty());
}

TEST(GroupSearch, TestsAgainWhatNobodyReported) {
  const SimulatedFabric fabric = fabric_of(12, {});
  GroupSearch search(fabric.fleet, settings_for(0));
  const std::vector<GroupTest> first = search.next_round();
  search.learn(std::vector<GroupOutcome>(first.size(), GroupOutcome::unknown));
  EXPECT_EQ(search.next_round(), first);
}

TEST(GroupSearch, ClearsNothingWhereNobodyReports) {
  GroupSearch search({12, {}});
  while (!search.next_round().empty()) {
    search.learn(std::vector<GroupOutcome>(search.next_round().size(), GroupOutcome::unknown));
  }
  EXPECT_EQ(search.rounds(), 3U);
  ASSERT_THAT(search.unsettled(), SizeIs(1));
  EXPECT_THAT(search.unsettled()[0].nodes, SizeIs(12));
}

TEST(GroupSearch, SaysThatItIsNotSettledWhenItsTestsAreUsedUp) {
  const SimulatedFabric fabric = fabric_of(24, {bad_node(3), bad_node(17)});
  for (std::size_t most = 1; most < 8; ++most) {
    GroupSearchSettings settings = settings_for(0);
    settings.most_tests = most;
    GroupSearch search(fabric.fleet, settings);
    Runner runner(fabric, 1);
    finish(search, runner);
    EXPECT_THAT(search.results(), SizeIs(most));
    EXPECT_THAT(search.unsettled(), Not(IsEmpty()));
  }
}

TEST(GroupSearch, ClearsNothingBeforeItsEnd) {
  GroupSearch search({5, {}});
  ASSERT_THAT(search.unsettled(), SizeIs(1));
  EXPECT_THAT(search.unsettled()[0].nodes, ElementsAre(0, 1, 2, 3, 4));
}

/// The probability that so many of all outcomes are wrong, or more.
double at_least(std::size_t wrong, std::size_t all, double share) {
  double sum = 0;
  for (std::size_t k = wrong; k <= all; ++k) {
    const auto count = static_cast<double>(k);
    sum += std::exp2(simulated::log2_choose(static_cast<double>(all), count)) * std::pow(share, count) *
           std::pow(1 - share, static_cast<double>(all) - count);
  }
  return sum;
}

TEST(GroupSearch, SettlesOnlyWhatOutcomesAgreeOn) {
  const SimulatedFabric fabric = fabric_of(24, {}, 0.5);
  std::size_t open = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GroupSearch search(fabric.fleet);
    Runner runner(fabric, seed);
    finish(search, runner);
    EXPECT_LE(search.results().size(), 124U);
    if (!search.unsettled().empty()) {
      ++open;
      continue;
    }
    const std::vector<Planted> names = named(search);
    const auto wrong = std::ranges::count_if(search.results(), [&](const GroupResult& result) {
      const bool is_bad = std::ranges::any_of(
          names, [&](const Planted& name) { return simulated::makes_bad(name, fabric.fleet, result.test); });
      return is_bad != (result.outcome == GroupOutcome::bad);
    });
    const double by_chance = at_least(static_cast<std::size_t>(wrong), search.results().size(), 0.01);
    EXPECT_GE(by_chance, 1e-4) << wrong << " of " << search.results().size() << ", seed " << seed;
  }
  EXPECT_GE(open, 10U);
}

TEST(GroupSearch, DependsOnOutcomesAlone) {
  const SimulatedFabric fabric = fabric_of(60, {bad_node(7), bad_node(41), bad_pair(20, 33)}, 0.05);
  const GroupSearch once = searched(fabric);
  const GroupSearch again = searched(fabric);
  ASSERT_EQ(once.results().size(), again.results().size());
  for (std::size_t i = 0; i < once.results().size(); ++i) EXPECT_EQ(once.results()[i].test, again.results()[i].test);
}

TEST(GroupSearch, RoundsHaveDisjointGroupsOfTwoOrMore) {
  const SimulatedFabric fabric = fabric_of(60, {bad_node(7), bad_node(41), bad_uplink(5)}, 0.05);
  const GroupSearch search = searched(fabric);
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (const GroupResult& result : search.results()) {
    EXPECT_GE(result.test.nodes.size(), 2U);
    EXPECT_TRUE(std::ranges::is_sorted(result.test.nodes));
    for (const std::size_t node : result.test.nodes) EXPECT_TRUE(seen.emplace(result.round, node).second);
  }
}

TEST(GroupSearch, ShowsTheEvidenceForACulprit) {
  const GroupSearch search = searched(fabric_of(12, {bad_node(8)}));
  const std::vector<Culprit> culprits = search.culprits();
  ASSERT_THAT(culprits, SizeIs(1));
  EXPECT_GE(culprits[0].probability, 0.999);
  ASSERT_THAT(culprits[0].evidence, Not(IsEmpty()));
  for (const std::size_t number : culprits[0].evidence) {
    EXPECT_EQ(search.results()[number].outcome, GroupOutcome::bad);
    EXPECT_THAT(search.results()[number].test.nodes, ::testing::Contains(8));
  }
}

TEST(GroupSearch, RefusesWhatItCannotHave) {
  GroupSearchSettings settings;
  settings.false_bad = 0;
  EXPECT_THROW(GroupSearch({4, {}}, settings), UsageError);
  settings = {};
  settings.false_good = 0.5;
  EXPECT_THROW(GroupSearch({4, {}}, settings), UsageError);
  settings = {};
  settings.expected_pairs = 0;
  EXPECT_THROW(GroupSearch({4, {}}, settings), UsageError);
  settings = {};
  settings.confidence = 1;
  EXPECT_THROW(GroupSearch({4, {}}, settings), UsageError);
  settings = {};
  settings.missed = 0;
  EXPECT_THROW(GroupSearch({4, {}}, settings), UsageError);
  EXPECT_THROW(GroupSearch({4, {1, 2}}), UsageError);
  GroupSearch search({4, {}});
  EXPECT_THROW(search.learn({}), UsageError);
  const std::size_t tests = search.next_round().size();
  EXPECT_THROW(search.learn(std::vector<GroupOutcome>(tests + 1, GroupOutcome::good)), UsageError);
  EXPECT_THROW(search.set_absent(4), UsageError);
}

}  // namespace
}  // namespace gpucheck::fleet
