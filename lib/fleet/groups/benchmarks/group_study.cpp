// How many tests a search takes on simulated fabrics, beside the least number that could do.
// Usage: gpucheck_group_study [FABRICS [NODES...]]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

#include "fleet/groups/tests/simulated_fabric.hpp"

namespace gpucheck::fleet::simulated {
namespace {

struct Row {
  const char* name;
  std::size_t nodes;
  std::size_t pairs;
  std::size_t uplinks;
  std::size_t switch_pairs;
};

constexpr Row rows[]{{"none", 0, 0, 0, 0},     {"1 node", 1, 0, 0, 0},       {"2 nodes", 2, 0, 0, 0},
                     {"5 nodes", 5, 0, 0, 0},  {"1 pair", 0, 1, 0, 0},       {"1 node, 1 pair", 1, 1, 0, 0},
                     {"1 uplink", 0, 0, 1, 0}, {"1 switch pair", 0, 0, 0, 1}};

std::size_t switch_size(std::size_t nodes) { return nodes <= 64 ? 4 : nodes <= 512 ? 16 : 32; }

SimulatedFabric draw(const Row& row, std::size_t nodes, double noise, std::mt19937_64& random) {
  SimulatedFabric fabric{{nodes, {}}, {}, noise};
  for (std::size_t node = 0; node < nodes; ++node) fabric.fleet.switch_of_node.push_back(node / switch_size(nodes));
  const std::size_t switches = fabric.fleet.switch_of_node.back() + 1;
  std::vector<std::size_t> bad;
  const auto another = [&] {
    std::size_t node = random() % nodes;
    while (std::ranges::find(bad, node) != bad.end()) node = random() % nodes;
    bad.push_back(node);
    return node;
  };
  const auto two_of = [&](auto next) {
    std::vector<std::size_t> two{next(), next()};
    while (two[0] == two[1]) two[1] = next();
    std::ranges::sort(two);
    return two;
  };
  for (std::size_t i = 0; i < row.nodes; ++i) fabric.planted.push_back({CulpritKind::node, {another()}});
  for (std::size_t i = 0; i < row.pairs; ++i) fabric.planted.push_back({CulpritKind::pair, two_of(another)});
  for (std::size_t i = 0; i < row.uplinks; ++i) fabric.planted.push_back({CulpritKind::uplink, {random() % switches}});
  for (std::size_t i = 0; i < row.switch_pairs; ++i) {
    fabric.planted.push_back(
        {CulpritKind::switch_pair, two_of([&] { return static_cast<std::size_t>(random() % switches); })});
  }
  std::ranges::sort(fabric.planted, {}, [](const Planted& one) { return std::pair(one.kind, one.members); });
  return fabric;
}

double bound(const Row& row, std::size_t nodes) {
  const auto n = static_cast<double>(nodes);
  const auto switches = static_cast<double>((nodes + switch_size(nodes) - 1) / switch_size(nodes));
  return log2_choose(n, static_cast<double>(row.nodes)) + log2_choose(n * (n - 1) / 2, static_cast<double>(row.pairs)) +
         log2_choose(switches, static_cast<double>(row.uplinks)) +
         log2_choose(switches * (switches - 1) / 2, static_cast<double>(row.switch_pairs));
}

void study(const Row& row, std::size_t nodes, double noise, std::size_t fabrics) {
  std::mt19937_64 random(nodes * 1000 + static_cast<std::uint64_t>(noise * 100));
  double tests = 0;
  double rounds = 0;
  std::size_t most_rounds = 0;
  std::size_t exact = 0;
  std::size_t false_names = 0;
  std::size_t open = 0;
  double slowest = 0;
  double time = 0;
  for (std::size_t i = 0; i < fabrics; ++i) {
    const SimulatedFabric fabric = draw(row, nodes, noise, random);
    GroupSearchSettings settings;
    settings.false_bad = settings.false_good = std::max(noise, 1e-4);
    GroupSearch search(fabric.fleet, settings);
    Runner runner(fabric, random());
    while (true) {
      const auto start = std::chrono::steady_clock::now();
      const std::vector<GroupTest>& round = search.next_round();
      const double took = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      slowest = std::max(slowest, took);
      time += took;
      if (round.empty()) break;
      std::vector<GroupOutcome> outcomes;
      for (const GroupTest& test : round) outcomes.push_back(runner.run(test));
      search.learn(outcomes);
    }
    tests += static_cast<double>(search.results().size());
    rounds += static_cast<double>(search.rounds());
    most_rounds = std::max(most_rounds, search.rounds());
    const std::vector<Planted> names = named(search);
    const bool settled = search.unsettled().empty();
    if (!settled) ++open;
    if (settled && names == fabric.planted) ++exact;
    for (const Planted& name : names) {
      if (std::ranges::find(fabric.planted, name) == fabric.planted.end()) ++false_names;
    }
  }
  const auto count = static_cast<double>(fabrics);
  const double plain = bound(row, nodes);
  const double noisy = plain / capacity(noise);
  fmt::print(
      "| {:4} | {:14} | {:2.0f}% | {:6.1f} | {:5.1f} | {:5.1f} | {:5} | {:5.1f} | {:3} | {:5.1f}% | {} | {} | {:.1f} | "
      "{:.1f}\n",
      nodes, row.name, noise * 100, tests / count, plain, noisy,
      plain > 0 ? fmt::format("{:.2f}", tests / count / noisy) : "", rounds / count, most_rounds,
      100.0 * static_cast<double>(exact) / count, false_names, open, slowest, time / rounds);
  std::fflush(stdout);
}

}  // namespace
}  // namespace gpucheck::fleet::simulated

int main(int count, char** words) {
  using namespace gpucheck::fleet::simulated;
  const std::size_t fabrics = count > 1 ? std::stoul(words[1]) : 200;
  std::vector<std::size_t> sizes;
  for (int i = 2; i < count; ++i) sizes.push_back(std::stoul(words[i]));
  if (sizes.empty()) sizes = {16, 232, 1024, 4096};
  for (const std::size_t nodes : sizes) {
    for (const Row& row : rows) {
      for (const double noise : {0.0, 0.01, 0.05}) study(row, nodes, noise, fabrics);
    }
  }
}
