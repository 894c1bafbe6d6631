#pragma once

#include <cstddef>
#include <vector>

#include "fleet/groups/beliefs.hpp"

/// Where a search stands: what was found so far, and which tests that leaves to be explained.
namespace gpucheck::fleet {

struct Situation {
  const Fabric* fabric = nullptr;
  const TestLog* log = nullptr;
  const GroupSearchSettings* settings = nullptr;
  std::vector<Defect> known;
  std::vector<Defect> two_sided;  ///< of those known
  std::vector<std::size_t> live;  ///< nodes that are neither known as bad nor absent, ascending
  std::vector<char> trusted;      ///< of each node: it was in a good group
  Bits unexplained;               ///< tests that contain no known defect
  std::vector<std::size_t> bad;   ///< of those the bad ones, the smallest first
  Prior prior;                    ///< with what was found so far
};

Situation situation_of(const Fabric& fabric, const TestLog& log, const GroupSearchSettings& settings,
                       const std::vector<Defect>& known, const std::vector<char>& absent);

/// Nodes in which there is a defect, as a bad test says that no known defect explains, and what is believed of it.
struct Region {
  std::vector<std::size_t> nodes;
  Beliefs beliefs;
  double expected = 0;  ///< how many defects are expected in it, had no test been bad
  double chance = 0;    ///< that there is one
};

/// The region of a test that came out bad, among all others.
Region region_of(const Situation& situation, std::size_t test);

/// Regions that are more likely to have a defect than not; no node is in two. A region is as small as a bad test.
std::vector<Region> find_regions(const Situation& situation);

/// How many defects are expected among some nodes, by the good tests alone.
double expected_among(const Situation& situation, const std::vector<std::size_t>& nodes);

/// Nodes outside of all regions, and the tests that no known defect and no region explains.
TestScope rest_of(const Situation& situation, const std::vector<Region>& regions);

}  // namespace gpucheck::fleet
