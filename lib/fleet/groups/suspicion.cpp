#include "fleet/groups/suspicion.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace gpucheck::fleet {

Suspicion suspicion_of(Situation others, const Defect& found) {
  // A pair is rare and has few bad groups, so that one wrong outcome would make a node of it: against a node, as many
  // pairs are expected as nodes.
  const auto nodes = static_cast<double>(others.fabric->nodes());
  if (found.kind == CulpritKind::node) {
    others.prior.pair = std::max(others.prior.pair, 2 * others.prior.node / std::max(nodes - 1, 1.0));
  }
  Suspicion suspicion;
  const Bits contain = others.log->tests_of(found);
  for (const std::size_t test : others.bad) {
    if (!has(contain, test)) continue;
    if (!suspicion.region) suspicion.region = region_of(others, test);
    suspicion.evidence.push_back(test);
    const std::vector<std::size_t> in_test = members(others.log->nodes_of(test));
    suspicion.beside_good = suspicion.beside_good || std::ranges::all_of(in_test, [&](std::size_t node) {
                              return others.trusted[node] != 0 || (found.kind == CulpritKind::node && node == found.a);
                            });
  }
  std::ranges::sort(suspicion.evidence);
  if (suspicion.region) {
    const Beliefs& beliefs = suspicion.region->beliefs;
    suspicion.probability = beliefs.weight_of(found) / (beliefs.none() + beliefs.all());
  }
  return suspicion;
}

bool is_contradicted(const Situation& situation) {
  constexpr double rare = 1e-4;
  const TestLog& log = *situation.log;
  Bits wrong = rest_of(situation, find_regions(situation)).bad;
  for (const Defect& found : situation.known) add_all(wrong, common(log.tests_of(found), log.good()));
  const std::size_t count = members(wrong).size();
  if (count == 0) return false;
  const boost::math::binomial_distribution<double> by_chance(
      static_cast<double>(log.size()), std::max(situation.settings->false_bad, situation.settings->false_good));
  return boost::math::cdf(boost::math::complement(by_chance, static_cast<double>(count) - 1)) < rare;
}

}  // namespace gpucheck::fleet
