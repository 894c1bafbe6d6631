#include "fleet/groups/queries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gpucheck::fleet {
namespace {

constexpr double least_information = 0.002;  // bits: less is not worth a test

double entropy(double share) {
  if (share <= 0 || share >= 1) return 0;
  return -share * std::log2(share) - (1 - share) * std::log2(1 - share);
}

/// Looks for the most informative group of a region.
class QuerySearch {
 public:
  QuerySearch(const Situation& situation, const Region& region, const std::vector<char>& free)
      : situation_(&situation), region_(&region), free_(&free) {}

  /// Groups of the first nodes of a list.
  void try_prefixes(const std::vector<std::size_t>& order) {
    const std::vector<double> weights = region_->beliefs.of_prefixes(order);
    std::size_t best_size = 0;
    for (std::size_t size = 2; size <= order.size(); ++size) {
      const double information = information_of(weights[size - 1]);
      if (information <= best_.information + 1e-9) continue;
      best_.information = information;
      best_size = size;
    }
    if (best_size != 0) best_.nodes.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best_size));
  }

  /// A node and all that precede it in the region.
  void try_with(std::size_t node) {
    std::vector<std::size_t> order{node};
    std::ranges::copy_if(region_->nodes, std::back_inserter(order), [&](std::size_t other) { return other != node; });
    try_prefixes(order);
  }

  /// A node, and the partner that is least suspect.
  void try_with_partner(std::size_t node) {
    const Beliefs& beliefs = region_->beliefs;
    std::optional<std::size_t> partner;
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t other : beliefs.scope().nodes) {
      if (other == node || (*free_)[other] == 0 || beliefs.separated(node, other)) continue;
      const double weight = beliefs.of_two(node, other) + penalty(other);
      if (weight >= least) continue;
      least = weight;
      partner = other;
    }
    if (partner) try_two(node, *partner);
  }

  void try_two(std::size_t x, std::size_t y) {
    const Beliefs& beliefs = region_->beliefs;
    if ((*free_)[x] == 0 || (*free_)[y] == 0 || !beliefs.in_scope(x) || !beliefs.in_scope(y)) return;
    if (beliefs.separated(x, y)) return;
    const double information = information_of(beliefs.of_two(x, y));
    if (information <= best_.information + 1e-9) return;
    best_ = {{x, y}, information};
  }

  /// Two nodes on the two sides of a link that are themselves least suspect; for an uplink, with each other switch.
  void try_link(const Defect& link) {
    const Fabric& fabric = *situation_->fabric;
    std::vector<std::optional<std::size_t>> cleanest(fabric.switches());
    std::vector<double> suspicion(fabric.switches());
    const std::vector<double> weights = region_->beliefs.of_nodes();
    const std::vector<std::size_t>& nodes = region_->beliefs.scope().nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if ((*free_)[nodes[i]] == 0) continue;
      const std::size_t its_switch = fabric.switch_of(nodes[i]);
      const double weight = weights[i] + penalty(nodes[i]);
      if (cleanest[its_switch] && weight >= suspicion[its_switch]) continue;
      cleanest[its_switch] = nodes[i];
      suspicion[its_switch] = weight;
    }
    if (!cleanest[link.a]) return;
    for (std::size_t other = 0; other < fabric.switches(); ++other) {
      const bool meant = link.kind == CulpritKind::uplink ? other != link.a : other == link.b;
      if (meant && cleanest[other]) try_two(*cleanest[link.a], *cleanest[other]);
    }
  }

  [[nodiscard]] std::optional<Query> result() && {
    if (best_.information < least_information) return std::nullopt;
    std::ranges::sort(best_.nodes);
    return std::move(best_);
  }

 private:
  /// Partners that were in no good group come last, those in a bad one elsewhere too.
  [[nodiscard]] double penalty(std::size_t partner) const {
    const Beliefs& beliefs = region_->beliefs;
    const double all = beliefs.none() + beliefs.all();
    return (situation_->trusted[partner] != 0 ? 0 : all) + (beliefs.is_elsewhere(partner) ? all : 0);
  }

  /// The weights are of a single defect; with several in the region, a part of it is bad more often.
  [[nodiscard]] double information_of(double weight) const {
    const Beliefs& beliefs = region_->beliefs;
    const double share = std::min(weight / (beliefs.none() + beliefs.all()), 1.0);
    const double within = region_->chance > 0 ? share / region_->chance : 0;
    double chance = share;
    if (within <= 1 && region_->expected > 1e-6) {
      chance = region_->chance * std::expm1(-region_->expected * within) / std::expm1(-region_->expected);
    }
    const double false_bad = situation_->settings->false_bad;
    const double false_good = situation_->settings->false_good;
    return entropy(chance * (1 - false_good) + (1 - chance) * false_bad) - chance * entropy(false_good) -
           (1 - chance) * entropy(false_bad);
  }

  const Situation* situation_;
  const Region* region_;
  const std::vector<char>* free_;
  Query best_;
};

/// The suspects of a region, the worst first.
std::vector<std::size_t> worst_nodes(const Region& region, std::size_t count) {
  const std::vector<double> weights = region.beliefs.of_nodes();
  const std::vector<std::size_t>& nodes = region.beliefs.scope().nodes;
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !std::ranges::binary_search(region.nodes, nodes[i]); });
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::ranges::partial_sort(order, end, [&](std::size_t x, std::size_t y) {
    return weights[x] > weights[y] || (weights[x] == weights[y] && x < y);
  });
  order.erase(end, order.end());
  for (std::size_t& place : order) place = nodes[place];
  return order;
}

}  // namespace

std::optional<Query> best_query(const Situation& situation, const Region& region, const std::vector<char>& free) {
  QuerySearch search(situation, region, free);
  if (std::ranges::all_of(region.nodes, [&](std::size_t node) { return free[node] != 0; })) {
    // The most suspect first: few are left in the end, and the tests on the way separate a bad node from a bad pair.
    search.try_prefixes(worst_nodes(region, region.nodes.size()));
    search.try_prefixes(region.nodes);
    for (const std::size_t node : worst_nodes(region, 2)) search.try_with(node);
  }
  for (const std::size_t node : worst_nodes(region, 2)) {
    if (free[node] != 0) search.try_with_partner(node);
  }
  for (const auto& [_, defect] : region.beliefs.likeliest(4)) {
    if (defect.kind == CulpritKind::pair) search.try_two(defect.a, defect.b);
    if (defect.kind == CulpritKind::uplink || defect.kind == CulpritKind::switch_pair) search.try_link(defect);
  }
  return std::move(search).result();
}

}  // namespace gpucheck::fleet
