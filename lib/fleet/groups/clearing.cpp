#include <algorithm>
#include <cmath>
#include <numbers>

#include "fleet/groups/queries.hpp"

namespace gpucheck::fleet {
namespace {

constexpr double worth_a_test_early = 0.25;  // probability that the outcome is bad

/// As many nodes as can be in one group, of which no known defect separates two; the first come first.
std::vector<std::size_t> compatible(const Situation& situation, const std::vector<std::size_t>& candidates) {
  std::vector<char> meets_a(situation.two_sided.size());
  std::vector<char> meets_b(situation.two_sided.size());
  std::vector<std::size_t> group;
  for (const std::size_t node : candidates) {
    bool fits = true;
    for (std::size_t i = 0; i < situation.two_sided.size() && fits; ++i) {
      const Defect& defect = situation.two_sided[i];
      fits = (meets_b[i] == 0 || !situation.fabric->on_side_a(defect, node)) &&
             (meets_a[i] == 0 || !situation.fabric->on_side_b(defect, node));
    }
    if (!fits) continue;
    for (std::size_t i = 0; i < situation.two_sided.size(); ++i) {
      if (situation.fabric->on_side_a(situation.two_sided[i], node)) meets_a[i] = 1;
      if (situation.fabric->on_side_b(situation.two_sided[i], node)) meets_b[i] = 1;
    }
    group.push_back(node);
  }
  return group;
}

/// Nodes on the larger side of known defects first.
std::vector<std::size_t> larger_sides_first(const Situation& situation, const std::vector<std::size_t>& nodes) {
  std::vector<std::size_t> burden(situation.fabric->nodes());
  for (const Defect& defect : situation.two_sided) {
    std::vector<std::size_t> a;
    std::vector<std::size_t> b;
    for (const std::size_t node : nodes) {
      if (situation.fabric->on_side_a(defect, node)) a.push_back(node);
      if (situation.fabric->on_side_b(defect, node)) b.push_back(node);
    }
    for (const std::size_t node : a.size() < b.size() ? a : b) ++burden[node];
  }
  std::vector<std::size_t> order = nodes;
  std::ranges::stable_sort(order, {}, [&](std::size_t node) { return burden[node]; });
  return order;
}

/// Two nodes that a group needs to be bad by the likeliest defect.
std::vector<std::size_t> in_likeliest(const Situation& situation, const Beliefs& beliefs) {
  const Defect likeliest = beliefs.likeliest(1).front().second;
  for (const std::size_t x : beliefs.scope().nodes) {
    if (!situation.fabric->on_side_a(likeliest, x)) continue;
    for (const std::size_t y : beliefs.scope().nodes) {
      if (situation.fabric->on_side_b(likeliest, y) && !beliefs.separated(x, y))
        return x == y ? std::vector{x} : std::vector{x, y};
    }
  }
  return {};
}

/// Orders in which nodes are taken into a group that clears them: the larger sides of known defects first, then with
/// the likeliest defect first, then with two first that have not been together.
std::vector<std::vector<std::size_t>> orders(const Situation& situation, const Beliefs& beliefs) {
  const std::vector<std::size_t>& nodes = beliefs.scope().nodes;
  const std::vector<std::size_t> usual = larger_sides_first(situation, nodes);
  std::vector<std::vector<std::size_t>> all{usual};
  const auto put_first = [&](const std::vector<std::size_t>& first) {
    std::vector<std::size_t>& order = all.emplace_back(first);
    std::ranges::copy_if(usual, std::back_inserter(order),
                         [&](std::size_t node) { return std::ranges::find(first, node) == first.end(); });
  };
  if (!situation.two_sided.empty()) put_first(in_likeliest(situation, beliefs));
  if (const auto apart = beliefs.not_together()) put_first({apart->first, apart->second});
  return all;
}

/// Cuts a group into as many parts as defects are expected to make bad half of the time.
void add_in_parts(const Situation& situation, const Beliefs& beliefs, std::vector<std::size_t> group,
                  std::vector<Query>& queries) {
  std::ranges::sort(group);
  const std::vector<double> weights = beliefs.of_prefixes(group);
  const double expected = std::min(weights.back() / beliefs.none(), expected_among(situation, group));
  const auto parts = static_cast<std::size_t>(std::max(1.0, expected / std::numbers::ln2));
  std::size_t start = 0;
  for (std::size_t part = 1; part <= parts; ++part) {
    const double until = weights.back() * static_cast<double>(part) / static_cast<double>(parts);
    std::size_t end = part == parts ? group.size() : start;
    while (end < group.size() && (weights[end] <= until || end < start + 2)) ++end;
    if (group.size() - end < 2) end = group.size();
    if (end - start < 2) continue;
    queries.push_back(
        {{group.begin() + static_cast<std::ptrdiff_t>(start), group.begin() + static_cast<std::ptrdiff_t>(end)}, 0});
    start = end;
  }
}

}  // namespace

Clearance clearance_of(const Situation& situation, const std::vector<Region>& regions) {
  TestScope scope = rest_of(situation, regions);
  if (scope.nodes.empty()) return {0, true};
  const Beliefs beliefs(*situation.fabric, *situation.log, situation.prior, std::move(scope), situation.two_sided);
  return {beliefs.all() / (beliefs.none() + beliefs.all()), !beliefs.not_together()};
}

std::vector<Query> clearing_queries(const Situation& situation, const std::vector<Region>& regions) {
  TestScope scope = rest_of(situation, regions);
  if (scope.nodes.size() < 2) return {};
  const std::vector<std::size_t> nodes = scope.nodes;
  const Beliefs beliefs(*situation.fabric, *situation.log, situation.prior, std::move(scope), situation.two_sided);
  const double risk = beliefs.all() / (beliefs.none() + beliefs.all());
  const auto apart = beliefs.not_together();
  if (risk <= situation.settings->missed && !apart) return {};

  std::vector<std::size_t> group;
  double weight = 0;
  for (const std::vector<std::size_t>& order : orders(situation, beliefs)) {
    std::vector<std::size_t> candidate = compatible(situation, order);
    const double its_weight = beliefs.of_prefixes(candidate).back();
    const bool is_asked_for = apart && risk <= situation.settings->missed;  // the last of the orders
    if (its_weight <= weight * (1 + 1e-9) && !is_asked_for) continue;
    group = std::move(candidate);
    weight = its_weight;
  }
  if (group.size() < 2) return {};
  const double expected = weight / beliefs.none();
  if (!regions.empty() && -std::expm1(-expected) < worth_a_test_early) return {};
  std::vector<Query> queries;
  add_in_parts(situation, beliefs, group, queries);

  // Nodes on the other side of a link can be tested at the same time.
  std::vector<std::size_t> others;
  std::ranges::sort(group);
  std::ranges::set_difference(nodes, group, std::back_inserter(others));
  others = compatible(situation, others);
  if (others.size() < 2) return queries;
  std::ranges::sort(others);
  const Beliefs among(*situation.fabric, *situation.log, situation.prior,
                      {others, beliefs.scope().bad, beliefs.scope().good, {}}, situation.two_sided);
  const double left = among.all() / (among.none() + among.all());
  if (left > situation.settings->missed / 4 || among.not_together()) add_in_parts(situation, beliefs, others, queries);
  return queries;
}

}  // namespace gpucheck::fleet
