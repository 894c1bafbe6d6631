#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>

#include "fleet/groups/tests/simulated_fabric.hpp"

namespace gpucheck::fleet {
namespace {

using simulated::Defects;
using simulated::SimulatedFabric;

#ifdef GPUCHECK_TEST_SANITIZED
constexpr std::size_t fabrics = 4;  // what sanitizers look for is in each of them
#else
constexpr std::size_t fabrics = 20;
#endif

/// What a search may take: gpucheck_group_study measures it, over more fabrics.
struct Claim {
  std::size_t nodes = 0;
  double noise = 0;
  Defects defects{};
  double most_ratio = 0;   ///< tests over the bound with nothing given
  double most_rounds = 0;  ///< on average
};

void PrintTo(const Claim& claim, std::ostream* out) {
  *out << claim.defects.name << " among " << claim.nodes << " at " << claim.noise;
}

class GroupStudy : public ::testing::TestWithParam<Claim> {};

TEST_P(GroupStudy, TakesFewTestsAndNamesNothingGood) {
  const Claim& claim = GetParam();
  std::mt19937_64 random(7);
  [[maybe_unused]] double tests = 0;
  [[maybe_unused]] double rounds = 0;
  std::size_t exact = 0;
  for (std::size_t i = 0; i < fabrics; ++i) {
    const SimulatedFabric fabric = simulated::draw(claim.defects, claim.nodes, claim.noise, random);
    GroupSearch search(fabric.fleet, simulated::settings_for(claim.noise));
    simulated::Runner runner(fabric, random());
    simulated::finish(search, runner);
    tests += static_cast<double>(search.results().size());
    rounds += static_cast<double>(search.rounds());
    const std::vector<simulated::Planted> names = simulated::named(search);
    for (const simulated::Planted& name : names) EXPECT_THAT(fabric.planted, ::testing::Contains(name));
    if (names == fabric.planted && search.unsettled().empty()) ++exact;
  }
  const auto count = static_cast<double>(fabrics);
  const GroupSearchSettings settings = simulated::settings_for(claim.noise);
  [[maybe_unused]] const double bound =
      (simulated::bits_of_places(claim.defects, claim.nodes) + simulated::bits_of_numbers(claim.defects, settings)) /
          simulated::capacity(claim.noise) +
      simulated::tests_to_be_sure(claim.noise, settings.missed);
  EXPECT_GE(static_cast<double>(exact), 0.95 * count);
#ifndef GPUCHECK_TEST_SANITIZED
  EXPECT_LE(tests / count, claim.most_ratio * bound);
  EXPECT_LE(rounds / count, claim.most_rounds);
#endif
}

INSTANTIATE_TEST_SUITE_P(Fabrics, GroupStudy,
                         ::testing::Values(Claim{232, 0.01, {"1 node", 1, 0, 0, 0}, 1.3, 14},
                                           Claim{232, 0.01, {"5 nodes", 5, 0, 0, 0}, 1.3, 20},
                                           Claim{232, 0.01, {"1 pair", 0, 1, 0, 0}, 1.3, 25},
                                           Claim{232, 0.01, {"1 uplink", 0, 0, 1, 0}, 1.4, 12},
                                           Claim{232, 0.01, {"1 switch pair", 0, 0, 0, 1}, 1.4, 18},
                                           Claim{232, 0.05, {"2 nodes", 2, 0, 0, 0}, 1.3, 20}));

}  // namespace
}  // namespace gpucheck::fleet
