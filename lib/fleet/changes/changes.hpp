#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fleet/nodes/fleet.hpp"

/// A node or a fleet, before and after: after an update, a repair, a move.
namespace gpucheck::fleet {

/// What nodes are tested under, before and after.
struct ConditionChange {
  std::string what;  ///< "gpucheck", "golden files", "driver", "settings"
  std::string before;
  std::string after;
};

struct VerdictChange {
  std::size_t before = 0;  ///< the node's place in the earlier fleet
  std::size_t after = 0;   ///< its place in the later one
};

/// A value that differs by more than measuring it twice explains.
struct ValueChange {
  std::string metric;
  std::string place;     ///< a GPU; empty for all of them, by the median of their changes
  std::size_t gpus = 1;  ///< how many were compared
  double before = 0;     ///< the median, in the metric's unit
  double after = 0;
  double gain = 0;  ///< the share by which it is better; below 0 where it is worse
};

struct Changes {
  std::vector<ConditionChange> conditions = {};
  std::vector<std::string> gone = {};        ///< GPUs that only the earlier fleet has
  std::vector<std::string> added = {};       ///< GPUs that only the later fleet has
  std::vector<VerdictChange> verdicts = {};  ///< nodes that both have, with two verdicts
  std::vector<ValueChange> values = {};      ///< the worst first
  std::size_t compared_nodes = 0;
  std::size_t compared_values = 0;  ///< of one GPU in one metric
  /// Failed where something is worse: a node that passed has failed, or a value is worse. Not judged where nothing can
  /// be compared, a file could not be read, or a node that passed was not judged.
  harness::Verdict verdict = harness::Verdict::not_judged;
};

struct ChangeRules {
  double least_change = 0.03;          ///< of one GPU: what it differs by from one run to the next is a tenth of that
  double least_common_change = 0.005;  ///< of all GPUs together
  double false_alarms = 0.01;          ///< in a comparison where nothing has changed, on average
  std::size_t enough = 8;              ///< GPUs that show by how much changes scatter
};

/// Compares GPUs by UUID and nodes by name. With `enough` GPUs in a metric, what they all have in common is one change,
/// and a GPU has changed where it differs from that by more than chance explains; of fewer, each is compared with
/// itself.
Changes find_changes(const Fleet& before, const Fleet& after, const ChangeRules& rules = {});

}  // namespace gpucheck::fleet
