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

/// Numbers of outcomes that would have to be enough: log2 of the number of ways in which so many defects can lie in the
/// fabric, and the bits that one noisy outcome gives at most (the capacity of a binary symmetric channel).
inline double log2_choose(double n, double k) {
  return (std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)) / std::log(2.0);
}
inline double capacity(double noise) {
  if (noise <= 0) return 1;
  return 1 + noise * std::log2(noise) + (1 - noise) * std::log2(1 - noise);
}

}  // namespace gpucheck::fleet::simulated
