#include "fleet/groups/situation.hpp"

#include <algorithm>
#include <cmath>

namespace gpucheck::fleet {
namespace {

/// Expected numbers, corrected by what was found, what still has to be, and the share of nodes that were cleared: as
/// the mean of a rate whose prior is exponential.
void learn_rates(Situation& situation) {
  const GroupSearchSettings& settings = *situation.settings;
  const auto nodes = static_cast<double>(situation.fabric->nodes());
  std::vector<std::size_t> found(4);
  for (const Defect& defect : situation.known) ++found[static_cast<std::size_t>(defect.kind)];
  std::vector<std::size_t> apart;  // bad tests without a common node
  for (const std::size_t test : situation.bad) {
    const Bits& nodes_of = situation.log->nodes_of(test);
    if (std::ranges::all_of(apart,
                            [&](std::size_t other) { return disjoint(nodes_of, situation.log->nodes_of(other)); })) {
      apart.push_back(test);
    }
  }
  const Bits good = common(situation.unexplained, situation.log->good());
  const auto cleared = static_cast<double>(std::ranges::count_if(
      situation.live, [&](std::size_t node) { return !disjoint(situation.log->tests_of(node), good); }));
  const auto count = [&](CulpritKind kind) { return static_cast<double>(found[static_cast<std::size_t>(kind)]); };
  const double expected_nodes = (1 + count(CulpritKind::node) + static_cast<double>(apart.size())) /
                                (1 / settings.expected_nodes + cleared / nodes);
  const auto switches = static_cast<double>(situation.fabric->switches());
  const auto rate = [](double expected, double number) {
    return std::clamp(expected / std::max(number, 1.0), 1e-9, 0.3);
  };
  situation.prior.node = rate(expected_nodes, nodes);
  situation.prior.pair = rate(settings.expected_pairs + count(CulpritKind::pair), nodes * (nodes - 1) / 2);
  situation.prior.uplink = rate(settings.expected_uplinks + count(CulpritKind::uplink), switches);
  situation.prior.switch_pair =
      rate(settings.expected_switch_pairs + count(CulpritKind::switch_pair), switches * (switches - 1) / 2);
}

}  // namespace

Situation situation_of(const Fabric& fabric, const TestLog& log, const GroupSearchSettings& settings,
                       const std::vector<Defect>& known, const std::vector<char>& absent) {
  Situation situation;
  situation.fabric = &fabric;
  situation.log = &log;
  situation.settings = &settings;
  situation.known = known;
  std::vector<char> gone = absent;
  situation.unexplained = log.bad();
  add_all(situation.unexplained, log.good());
  for (const Defect& defect : known) {
    situation.unexplained = without(situation.unexplained, log.tests_of(defect));
    if (defect.kind == CulpritKind::node) {
      gone[defect.a] = 1;
    } else {
      situation.two_sided.push_back(defect);
    }
  }
  situation.bad = members(common(situation.unexplained, log.bad()));
  std::ranges::stable_sort(situation.bad, {}, [&log](std::size_t test) { return log.size_of(test); });
  for (std::size_t node = 0; node < fabric.nodes(); ++node) {
    if (gone[node] == 0) situation.live.push_back(node);
    situation.trusted.push_back(disjoint(log.tests_of(node), log.good()) ? 0 : 1);
  }
  situation.prior.log_bad = std::log((1 - settings.false_good) / settings.false_bad);
  situation.prior.log_good = std::log(settings.false_good / (1 - settings.false_bad));
  learn_rates(situation);
  return situation;
}

double expected_among(const Situation& situation, const std::vector<std::size_t>& nodes) {
  const Bits good = common(situation.unexplained, situation.log->good());
  double sum = 0;
  for (const std::size_t node : nodes) {
    std::size_t count = 0;
    const Bits& tests = situation.log->tests_of(node);
    for (std::size_t i = 0; i < good.size(); ++i) count += static_cast<std::size_t>(std::popcount(tests[i] & good[i]));
    sum += situation.prior.node * std::exp(situation.prior.log_good * static_cast<double>(count));
  }
  const auto size = static_cast<double>(nodes.size());
  return sum + situation.prior.pair * size * (size - 1) / 2;
}

namespace {

/// The logarithm of the probability that a test is bad, and all bad ones around it, though no link is: that there is a
/// node or a pair, as good tests allow, or that all of them are wrong.
double log_chance_without_link(const Situation& situation, std::size_t test) {
  const TestLog& log = *situation.log;
  TestScope scope{members(log.nodes_of(test)), Bits(log.words()), common(situation.unexplained, log.good()), {}};
  const Beliefs beliefs(*situation.fabric, log, situation.prior, std::move(scope), situation.two_sided);
  const auto around = std::ranges::count_if(
      situation.bad, [&](std::size_t other) { return contains(log.nodes_of(other), log.nodes_of(test)); });
  const double chance = (beliefs.all() - beliefs.links()) / (beliefs.none() + beliefs.all());
  return std::max(std::log(chance), -situation.prior.log_bad * static_cast<double>(around));
}

/// Whether a bad test is more likely to contain a defect than to be wrong, by what was seen beside a region.
bool probably_real(const Situation& situation, std::size_t test, const Bits& region) {
  const TestLog& log = *situation.log;
  TestScope scope{members(log.nodes_of(test)), Bits(log.words()), common(situation.unexplained, log.good()), {}};
  for (const std::size_t other : situation.bad) {
    if (!contains(log.nodes_of(other), region)) insert(scope.bad, other);
  }
  const Beliefs beliefs(*situation.fabric, log, situation.prior, std::move(scope), situation.two_sided);
  return beliefs.all() > beliefs.none();
}

}  // namespace

/// A bad test elsewhere is another defect's: its nodes, and all bad tests around it, say nothing of this region.
Region region_of(const Situation& situation, std::size_t test) {
  const TestLog& log = *situation.log;
  const Bits& inside = log.nodes_of(test);
  TestScope scope;
  Bits elsewhere(inside.size());
  Bits bad = common(situation.unexplained, log.bad());
  std::vector<std::size_t> smallest;
  for (const std::size_t other : situation.bad) {
    const Bits& nodes = log.nodes_of(other);
    const bool around =
        std::ranges::any_of(smallest, [&](std::size_t small) { return contains(nodes, log.nodes_of(small)); });
    if (around) {
      bad[other / 64] &= ~(std::uint64_t{1} << (other % 64));
    } else if (disjoint(nodes, inside) && probably_real(situation, other, inside)) {
      smallest.push_back(other);
      // A link may be what makes both bad. Then the other needs no defect of its own.
      scope.elsewhere.push_back({other, disjoint(nodes, elsewhere) ? -log_chance_without_link(situation, other) : 0});
      add_all(elsewhere, nodes);
      bad[other / 64] &= ~(std::uint64_t{1} << (other % 64));
    }
  }
  scope.nodes = situation.live;
  scope.bad = std::move(bad);
  scope.good = common(situation.unexplained, log.good());
  std::vector<std::size_t> nodes = members(inside);
  Beliefs beliefs(*situation.fabric, log, situation.prior, std::move(scope), situation.two_sided);
  const double weight = beliefs.of_prefixes(nodes).back();
  const double chance = weight / (beliefs.none() + beliefs.all());
  const double expected = expected_among(situation, nodes);
  return {std::move(nodes), std::move(beliefs), expected, chance};
}

std::vector<Region> find_regions(const Situation& situation) {
  std::vector<Region> regions;
  Bits taken(words_for(situation.fabric->nodes()));
  for (const std::size_t test : situation.bad) {
    const Bits& nodes = situation.log->nodes_of(test);
    if (!disjoint(nodes, taken)) continue;
    Region region = region_of(situation, test);
    if (region.chance < 0.5) continue;
    add_all(taken, nodes);
    regions.push_back(std::move(region));
  }
  return regions;
}

TestScope rest_of(const Situation& situation, const std::vector<Region>& regions) {
  const TestLog& log = *situation.log;
  Bits taken(words_for(situation.fabric->nodes()));
  for (const Region& region : regions) {
    for (const std::size_t node : region.nodes) insert(taken, node);
  }
  TestScope scope;
  scope.bad = Bits(log.words());
  for (const std::size_t test : situation.bad) {
    const bool explained = std::ranges::any_of(regions, [&](const Region& region) {
      return std::ranges::all_of(region.nodes, [&](std::size_t node) { return has(log.nodes_of(test), node); });
    });
    if (!explained) insert(scope.bad, test);
  }
  scope.good = common(situation.unexplained, log.good());
  std::ranges::copy_if(situation.live, std::back_inserter(scope.nodes),
                       [&](std::size_t node) { return !has(taken, node); });
  return scope;
}

}  // namespace gpucheck::fleet
