#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fleet/groups/group_search.hpp"

/// What the measurements of a group's collective say: good, bad or nothing.
namespace gpucheck::fleet {

enum class GroupRun : std::uint8_t {
  completed,
  failed,      ///< an error, or not done by its deadline
  absent,      ///< a rank never came
  unreported,  ///< nobody knows: the engine stopped the round, or the report is lost
};

/// What a group reported of its collective.
struct GroupReading {
  GroupRun run = GroupRun::unreported;
  std::size_t nodes = 0;       ///< of the group
  double gbps = 0;             ///< bus bandwidth; 0 where it was not measured
  std::size_t mismatches = 0;  ///< elements that are not what the collective has to give
};

struct GroupSpeedRules {
  double tolerance = 0.15;    ///< a group that is slower than the reference by a larger share is bad
  double reference_gbps = 0;  ///< the reference, where a site knows what its fabric does; 0: it comes from the readings
  std::size_t least_readings = 4;  ///< fewer are not a reference
};

struct GroupVerdict {
  GroupOutcome outcome = GroupOutcome::unknown;
  bool speed_judged = false;  ///< false: good means that it completed and was right, whatever it took
  double reference_gbps = 0;  ///< 0: there is none
  std::string why;            ///< of a bad one: a sentence without its full stop
};

/// Judges rounds, one after the other, and remembers their speeds. Not thread-safe.
///
/// A group that failed, lacks a rank or has wrong elements is bad. A group that completed is bad where its bus
/// bandwidth is below the reference by more than the tolerance. The reference is the limit that the rules give, or else
/// the upper quartile of all speeds so far, those of this round included: it stands as long as more than a quarter of
/// the groups are as fast as the fabric can be. Speeds are compared with those of groups of a similar size (at most
/// four times larger or smaller) where these are enough. Where there are too few of any size, which is so in a first
/// round of one test, the speed is not judged: `speed_judged` says so. Where all groups are slow alike, none is slow
/// beside the others: only a limit finds that.
class GroupJudge {
 public:
  explicit GroupJudge(const GroupSpeedRules& rules = {}) : rules_(rules) {}

  /// @return one for each reading, in their order.
  std::vector<GroupVerdict> judge(const std::vector<GroupReading>& round);

 private:
  [[nodiscard]] double reference(std::size_t nodes) const;

  GroupSpeedRules rules_;
  std::vector<GroupReading> speeds_;  ///< of groups that completed and were right
};

}  // namespace gpucheck::fleet
