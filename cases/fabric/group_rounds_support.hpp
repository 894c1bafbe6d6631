#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fleet/groups/group_readings.hpp"

/// What the processes of group tests tell each other, and the groups that only show how fast groups are.
namespace gpucheck::cases::in_fabric {

/// What one process saw of its group's collective.
struct OwnReading {
  fleet::GroupRun run = fleet::GroupRun::completed;
  double gbps = 0;
  std::uint64_t mismatches = 0;
  std::string why = {};
};

nlohmann::json to_json(const OwnReading& reading);
OwnReading reading_from(const nlohmann::json& said);

/// What the first process says to all.
struct Round {
  std::vector<std::vector<std::size_t>> groups = {};  ///< places among the members; none: the search has ended
  std::vector<std::string> culprits = {};             ///< of all the search, once it has ended
  std::vector<std::vector<std::size_t>> blamed = {};  ///< the members that each of them is about
  std::vector<std::string> unsettled = {};
  std::size_t tests = 0;
  std::size_t rounds = 0;
  bool speed_judged = false;
  double reference_gbps = 0;
};

nlohmann::json to_json(const Round& round);
Round round_from(const nlohmann::json& said);

/// What a member's reading of a round is called.
std::string reading_name(std::size_t round, std::size_t member);

using Groups = std::vector<std::vector<std::size_t>>;  ///< places among the members
using Rounds = std::vector<Groups>;

/// Rounds that only show how fast groups are, before the first that is judged by it: disjoint groups of about as many
/// members as there are groups, and neighbours apart in a second round where one has fewer groups than the judge needs.
Rounds rounds_for_reference(std::size_t members);

}  // namespace gpucheck::cases::in_fabric
