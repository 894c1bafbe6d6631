#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "device/sim/tests/oracle/trace.hpp"

namespace gpucheck::sim::oracle {

struct Judgement {
  /// What the detector has to report, ascending: an access against the last writer of a byte
  /// and, for a write, the last readers since, each pair once.
  std::vector<Conflict> conflicts;
  /// Whether some byte is disputed by any two operations at all and yet not in `conflicts`,
  /// or the other way round: the last writer and the last readers would not be enough.
  bool is_incomplete = false;
  /// Whether some access has gaps.
  bool has_patterns = false;
  /// If so: the addresses that two operations dispute, the last writer or not; the
  /// smaller one first.
  std::map<std::pair<Conflict::Party, Conflict::Party>, std::set<std::uintptr_t>> disputed{};
};

/// Happens-before from its definition: every operation with all that comes before it, each
/// byte with all that touched it. Shares no code with the simulator.
Judgement judge(const Trace& trace);

}  // namespace gpucheck::sim::oracle
