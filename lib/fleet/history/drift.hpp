#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

/// What has become worse than it was itself. Works on numbers alone.
namespace gpucheck::fleet {

/// How a series has changed.
struct Drift {
  std::size_t since = 0;  ///< the place of the first value after the change
  double loss = 0;        ///< the share by which the values from there on are worse than those before, on average
  double scores = 0;      ///< that difference, in standard deviations of such a difference

  bool operator==(const Drift&) const = default;
};

struct DriftRules {
  /// How many series that do not change are taken for drifts by one more value of each, on average. The time to a false
  /// alarm is its inverse: a hundred runs of the whole fleet.
  double false_alarms = 0.01;
  double least_loss = 0.005;           ///< a smaller share is not worth a look
  std::size_t least_values = 6;        ///< of a series: with fewer there is no past to speak of
  std::size_t least_differences = 20;  ///< of all series together: fewer say too little about how values scatter
};

/// Finds drifts as of the last values. The same series give the same drifts.
///
/// Each value is compared with the mean of all before it, and the shortfalls are added up as long as there are more of
/// them than chance explains: a self-starting cumulative sum (Hawkins, Self-Starting Cusum Charts for Location and
/// Scale, The Statistician 36, 1987) with an allowance of half a standard deviation. Its limit comes from the rules'
/// false alarms by Siegmund's approximation (Sequential Analysis, 1985). One odd value counts as four standard
/// deviations at most, so that no single run is a drift. How a series scatters is estimated from the differences
/// between neighbours, which a change does not change: by their median over all series, or over its own where that is
/// more.
/// @param series of one metric, one for each GPU: logarithms of what was measured, lower ones worse, the oldest first.
/// @param tests how many series of all metrics are looked at in the same run.
/// @return for each series nothing, or its drift.
std::vector<std::optional<Drift>> find_drifts(const std::vector<std::vector<double>>& series, std::size_t tests,
                                              const DriftRules& rules = {});

/// The sum that normal values without a change reach once in `run_length` values on average, in standard deviations.
/// @param allowance what is taken off each shortfall, in standard deviations.
double drift_limit(double run_length, double allowance);

}  // namespace gpucheck::fleet
