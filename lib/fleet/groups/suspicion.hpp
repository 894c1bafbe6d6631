#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fleet/groups/situation.hpp"

/// Whether what was found is sure.
namespace gpucheck::fleet {

/// What is believed of a defect, if the others that were found are right.
struct Suspicion {
  std::optional<Region> region;  ///< of the smallest bad test that speaks for it; none where none does
  double probability = 0;
  bool beside_good = false;           ///< it is in a bad test all others of which were in a good one
  std::vector<std::size_t> evidence;  ///< bad tests that speak for it

  [[nodiscard]] bool is_certain(double confidence) const { return probability >= confidence && beside_good; }
};

/// @param others with all that was found but this.
Suspicion suspicion_of(Situation others, const Defect& found);

/// Whether more outcomes are wrong, if what was found is right and nothing else is bad, than the settings allow for: so
/// many are wrong by chance in one search of ten thousand.
bool is_contradicted(const Situation& situation);

}  // namespace gpucheck::fleet
