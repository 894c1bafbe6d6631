#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fleet/history/drift.hpp"
#include "fleet/history/history_record.hpp"

namespace gpucheck::fleet {

/// A GPU that has become worse than it was, in one metric.
struct GpuDrift {
  std::string uuid;
  std::string metric;
  bool high_is_bad = false;
  Drift drift;
  std::string since;         ///< when the first of the worse runs started
  std::size_t runs = 0;      ///< how many there are since then
  double before = 0;         ///< the mean of what was measured before; lower is worse: see `level`
  bool is_relative = false;  ///< `before` is of shares of what was usual in the fleet
};

/// Judges the GPUs of `now` against their own past, in each metric by itself. What is measured is compared as a share
/// of what was usual in the fleet where every record says that, so that a change of the whole fleet is not a drift.
/// Counts what a run measured once, however many records hold it, and nothing that is not older than `now`.
/// @param past records in any order.
/// @return the strongest first. The same records give the same drifts.
std::vector<GpuDrift> find_drifting_gpus(const std::vector<HistoryRecord>& past, const HistoryRecord& now,
                                         const DriftRules& rules = {});

/// A value as drifts compare it: its logarithm, lower where it is worse.
/// @param usual 1 where it is not a share.
double level(double value, double usual, bool high_is_bad);

}  // namespace gpucheck::fleet
