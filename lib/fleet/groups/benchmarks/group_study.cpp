// How many tests a search takes on simulated fabrics, beside the least number that could do: a Markdown table.
// Usage: gpucheck_group_study [FABRICS [NODES...]], 200 fabrics of each kind by default.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fmt/format.h>
#include <string>

#include "fleet/groups/tests/simulated_fabric.hpp"

namespace gpucheck::fleet::simulated {
namespace {

constexpr Defects kinds[]{{"none", 0, 0, 0, 0},     {"1 node", 1, 0, 0, 0},       {"2 nodes", 2, 0, 0, 0},
                          {"5 nodes", 5, 0, 0, 0},  {"1 pair", 0, 1, 0, 0},       {"1 node, 1 pair", 1, 1, 0, 0},
                          {"1 uplink", 0, 0, 1, 0}, {"1 switch pair", 0, 0, 0, 1}};

double processor_ms() { return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Totals {
  double tests = 0;
  double rounds = 0;
  std::size_t exact = 0;
  std::size_t false_names = 0;
  std::size_t open = 0;
  double slowest_ms = 0;  ///< processor time of a round's plan
};

/// Runs one search, planned against the clock.
void search_one(const SimulatedFabric& fabric, std::uint64_t seed, Totals& totals) {
  GroupSearch search(fabric.fleet, settings_for(fabric.noise));
  Runner runner(fabric, seed);
  while (true) {
    const double start = processor_ms();
    const std::vector<GroupTest>& round = search.next_round();
    totals.slowest_ms = std::max(totals.slowest_ms, processor_ms() - start);
    if (round.empty()) break;
    std::vector<GroupOutcome> outcomes;
    outcomes.reserve(round.size());
    for (const GroupTest& test : round) outcomes.push_back(runner.run(test));
    search.learn(outcomes);
  }
  totals.tests += static_cast<double>(search.results().size());
  totals.rounds += static_cast<double>(search.rounds());
  const std::vector<Planted> names = named(search);
  const bool settled = search.unsettled().empty();
  totals.open += settled ? 0U : 1U;
  totals.exact += settled && names == fabric.planted ? 1U : 0U;
  for (const Planted& name : names) {
    totals.false_names += std::ranges::find(fabric.planted, name) == fabric.planted.end() ? 1U : 0U;
  }
}

void study(const Defects& defects, std::size_t nodes, double noise, std::size_t fabrics) {
  std::mt19937_64 random(nodes * 1000 + static_cast<std::uint64_t>(noise * 100));
  Totals totals;
  for (std::size_t i = 0; i < fabrics; ++i) {
    const SimulatedFabric fabric = draw(defects, nodes, noise, random);
    search_one(fabric, random(), totals);
  }
  const GroupSearchSettings settings = settings_for(noise);
  const auto count = static_cast<double>(fabrics);
  const double tests = totals.tests / count;
  const double places = bits_of_places(defects, nodes);
  const double given = places / capacity(noise);
  const double not_given =
      (places + bits_of_numbers(defects, settings)) / capacity(noise) + tests_to_be_sure(noise, settings.missed);
  fmt::print(
      "| {} | {} | {:.0f}% | {:.1f} | {:.1f} | {:.1f} | {} | {:.1f} | {:.2f} | {:.1f} | {:.1f}% | {} | {} | {:.0f} |\n",
      nodes, defects.name, noise * 100, tests, places, given, places > 0 ? fmt::format("{:.2f}", tests / given) : "",
      not_given, tests / not_given, totals.rounds / count, 100.0 * static_cast<double>(totals.exact) / count,
      totals.false_names, totals.open, totals.slowest_ms);
  std::fflush(stdout);
}

void study_all(std::size_t fabrics, const std::vector<std::size_t>& sizes) {
  fmt::print(
      "| nodes | bad | wrong outcomes | tests | bits | bound, numbers given | ratio | bound, nothing given | ratio | "
      "rounds "
      "| found exactly | good ones named | not settled | slowest plan, ms |\n");
  fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const std::size_t nodes : sizes) {
    for (const Defects& defects : kinds) {
      for (const double noise : {0.0, 0.01, 0.05}) study(defects, nodes, noise, fabrics);
    }
  }
}

}  // namespace
}  // namespace gpucheck::fleet::simulated

int main(int count, char** words) {
  try {
    const std::size_t fabrics = count > 1 ? std::stoul(words[1]) : 200;
    std::vector<std::size_t> sizes;
    for (int i = 2; i < count; ++i) sizes.push_back(std::stoul(words[i]));
    if (sizes.empty()) sizes = {16, 232, 1024, 4096};
    gpucheck::fleet::simulated::study_all(fabrics, sizes);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpucheck_group_study: {}\n", error.what());
    return 2;
  }
}
