#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fleet/groups/situation.hpp"

/// Which group to test next.
namespace gpucheck::fleet {

struct Query {
  std::vector<std::size_t> nodes;  ///< ascending
  double information = 0;          ///< bits that its outcome is expected to give
};

/// The group whose outcome says most about a region; none where no outcome says anything worth a test.
/// @param free of each node: it may be in the group. A partner for a suspect comes from the whole scope.
std::optional<Query> best_query(const Situation& situation, const Region& region, const std::vector<char>& free);

/// Groups that clear the nodes outside of all regions: none of them has a node in common with another, or with a
/// region; empty when these nodes are cleared, or when it can wait.
std::vector<Query> clearing_queries(const Situation& situation, const std::vector<Region>& regions);

/// What is not cleared of the nodes outside of all regions.
struct Clearance {
  double risk = 0;            ///< the probability that there is a defect among them
  bool all_together = false;  ///< any two that nothing known separates were in a good group
};
Clearance clearance_of(const Situation& situation, const std::vector<Region>& regions);

}  // namespace gpucheck::fleet
