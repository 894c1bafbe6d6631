#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "fleet/groups/group_search.hpp"

/// Fabrics that are not there, with planted defects, for tests and for the study.
namespace gpucheck::fleet::simulated {

struct Planted {
  CulpritKind kind = CulpritKind::node;
  std::vector<std::size_t> members;
  bool operator==(const Planted&) const = default;
};

struct SimulatedFabric {
  GroupFleet fleet;
  std::vector<Planted> planted;
  double noise = 0;  ///< share of outcomes that are wrong
};

inline bool makes_bad(const Planted& planted, const GroupFleet& fleet, const GroupTest& test) {
  const auto any = [&](auto holds) { return std::ranges::any_of(test.nodes, holds); };
  const auto is = [&](std::size_t member) {
    return [&planted, member](std::size_t node) { return node == planted.members[member]; };
  };
  const auto below = [&](std::size_t member) {
    return
        [&planted, &fleet, member](std::size_t node) { return fleet.switch_of_node[node] == planted.members[member]; };
  };
  switch (planted.kind) {
    case CulpritKind::node:
      return any(is(0));
    case CulpritKind::pair:
      return any(is(0)) && any(is(1));
    case CulpritKind::uplink:
      return any(below(0)) && !std::ranges::all_of(test.nodes, below(0));
    case CulpritKind::switch_pair:
      return any(below(0)) && any(below(1));
  }
  return false;
}

/// Runs tests one after the other. Standard distributions differ between libraries; this one does not.
class Runner {
 public:
  Runner(const SimulatedFabric& fabric, std::uint64_t seed) : fabric_(&fabric), random_(seed) {}

  GroupOutcome run(const GroupTest& test) {
    const bool is_bad = std::ranges::any_of(
        fabric_->planted, [&](const Planted& planted) { return makes_bad(planted, fabric_->fleet, test); });
    const bool is_wrong = static_cast<double>(random_() >> 11) * 0x1p-53 < fabric_->noise;
    return is_bad != is_wrong ? GroupOutcome::bad : GroupOutcome::good;
  }

 private:
  const SimulatedFabric* fabric_;
  std::mt19937_64 random_;
};

/// Runs a search to its end.
inline void finish(GroupSearch& search, Runner& runner) {
  while (true) {
    const std::vector<GroupTest>& round = search.next_round();
    if (round.empty()) return;
    std::vector<GroupOutcome> outcomes;
    outcomes.reserve(round.size());
    for (const GroupTest& test : round) outcomes.push_back(runner.run(test));
    search.learn(outcomes);
  }
}

inline std::vector<Planted> named(const GroupSearch& search) {
  std::vector<Planted> result;
  for (const Culprit& culprit : search.culprits()) result.push_back({culprit.kind, culprit.members});
  return result;
}

/// How many defects of each kind a fabric has.
struct Defects {
  const char* name = "";
  std::size_t nodes = 0;
  std::size_t pairs = 0;
  std::size_t uplinks = 0;
  std::size_t switch_pairs = 0;
};

/// Nodes below each switch, as a fabric of a size could have them.
inline std::size_t switch_size(std::size_t nodes) { return nodes <= 64 ? 4 : nodes <= 512 ? 16 : 32; }

/// A fabric with so many defects, in places that are drawn evenly. No node has two of them.
inline SimulatedFabric draw(const Defects& defects, std::size_t nodes, double noise, std::mt19937_64& random) {
  SimulatedFabric fabric{{nodes, {}}, {}, noise};
  for (std::size_t node = 0; node < nodes; ++node) fabric.fleet.switch_of_node.push_back(node / switch_size(nodes));
  const std::size_t switches = fabric.fleet.switch_of_node.back() + 1;
  std::vector<std::size_t> used;
  const auto another = [&] {
    std::size_t node = random() % nodes;
    while (std::ranges::find(used, node) != used.end()) node = random() % nodes;
    used.push_back(node);
    return node;
  };
  const auto a_switch = [&] { return static_cast<std::size_t>(random() % switches); };
  const auto two_of = [](auto next) {
    std::vector<std::size_t> two{next(), next()};
    while (two[0] == two[1]) two[1] = next();
    std::ranges::sort(two);
    return two;
  };
  for (std::size_t i = 0; i < defects.nodes; ++i) fabric.planted.push_back({CulpritKind::node, {another()}});
  for (std::size_t i = 0; i < defects.pairs; ++i) fabric.planted.push_back({CulpritKind::pair, two_of(another)});
  for (std::size_t i = 0; i < defects.uplinks; ++i) fabric.planted.push_back({CulpritKind::uplink, {a_switch()}});
  for (std::size_t i = 0; i < defects.switch_pairs; ++i) {
    fabric.planted.push_back({CulpritKind::switch_pair, two_of(a_switch)});
  }
  std::ranges::sort(fabric.planted, {}, [](const Planted& one) { return std::pair(one.kind, one.members); });
  return fabric;
}

/// What is searched with in a study: the noise as it is, but never none.
inline GroupSearchSettings settings_for(double noise) {
  GroupSearchSettings settings;
  settings.false_bad = settings.false_good = std::max(noise, 1e-4);
  return settings;
}

inline double log2_choose(double n, double k) {
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(2.0);
}

/// The least number of tests on average, if it is given how many defects of which kind there are: the logarithm of
/// the number of places they can be in, over the bits that one outcome gives at most (the capacity of a binary
/// symmetric channel).
inline double bits_of_places(const Defects& defects, std::size_t nodes) {
  const auto n = static_cast<double>(nodes);
  const auto switches = static_cast<double>((nodes + switch_size(nodes) - 1) / switch_size(nodes));
  return log2_choose(n, static_cast<double>(defects.nodes)) +
         log2_choose(n * (n - 1) / 2, static_cast<double>(defects.pairs)) +
         log2_choose(switches, static_cast<double>(defects.uplinks)) +
         log2_choose(switches * (switches - 1) / 2, static_cast<double>(defects.switch_pairs));
}
inline double capacity(double noise) {
  if (noise <= 0) return 1;
  return 1 + noise * std::log2(noise) + (1 - noise) * std::log2(1 - noise);
}

/// The same with nothing given: with the bits that say how many of which kind there are, where as many are expected as
/// the settings say, and with what it takes to be wrong no more often than `missed` (Burnashev's bound: the logarithm
/// of that over what one outcome says at most between two answers).
inline double bits_of_numbers(const Defects& defects, const GroupSearchSettings& settings) {
  const auto poisson = [](double expected, std::size_t count) {
    return (expected - static_cast<double>(count) * std::log(expected) + std::lgamma(static_cast<double>(count) + 1)) /
           std::log(2.0);
  };
  const double none = 1 / (1 + settings.expected_nodes);
  return -std::log2(none) - static_cast<double>(defects.nodes) * std::log2(1 - none) +
         poisson(settings.expected_pairs, defects.pairs) + poisson(settings.expected_uplinks, defects.uplinks) +
         poisson(settings.expected_switch_pairs, defects.switch_pairs);
}
inline double tests_to_be_sure(double noise, double missed) {
  if (noise <= 0) return 0;
  return std::log2(1 / missed) / ((1 - 2 * noise) * std::log2((1 - noise) / noise));
}

}  // namespace gpucheck::fleet::simulated
