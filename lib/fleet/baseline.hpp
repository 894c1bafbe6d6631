#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Limits from what good machines measured: the median of each value, and how far machines of one model stray from it.
namespace gpucheck::fleet {

/// What one run measured of one value on one device.
struct MeasuredValue {
  std::string device;  ///< its model: "NVIDIA H200"
  std::string uuid;
  std::string host;
  std::string file = {};  ///< that holds it
  /// When the run started; empty where the file does not say.
  std::string start_time = {};
  std::uint64_t repetition = 0;
  std::string name;  ///< "group.case.key"
  double value = 0;
  bool is_least = false;  ///< less than the limit is bad
  bool is_most = false;   ///< more than the limit is bad
};

/// The centre and spread of a set of numbers, however a few of them stray. The median of an even number of them is the
/// mean of the two in the middle.
struct RobustSummary {
  double median = 0;
  double median_deviation = 0;  ///< the median of the distances from it
  std::size_t count = 0;
};
/// The summary of no values is all zero.
[[nodiscard]] RobustSummary summarise(std::vector<double> values);

/// Measurements of cases that passed, in the text of a result file (gpucheck.result/1, or gpucheck.fleet/1 of several).
/// One that warned counts: it is how machines of the model are. A case that failed, or its value, does not.
/// @throws EnvironmentError with `path` and the place for what is not such a file, and for a value that is not above
/// zero: no limit that anything could fail follows from it.
[[nodiscard]] std::vector<MeasuredValue> measured_values(std::string_view text, const std::string& path);

/// One measurement that is reported twice, in one file that is given twice or in two that hold the same run, would
/// count as two machines. @throws UsageError that names both files.
void check_measured_once(const std::vector<MeasuredValue>& values);

struct BaselineOptions {
  std::size_t minimum_count = 5;  ///< values of fewer measurements give no limit
};

struct Baseline {
  std::string limits;                 ///< the file's text, gpucheck.limits/1, a class for each model
  std::vector<std::string> left_out;  ///< values without a limit, and why, in words
};

/// Limits from what was measured. A value is warned of beyond the median by 3.5 robust standard deviations and fails
/// beyond 7, but not within 3 and 6 % of the median: machines that are all alike would otherwise rule each other out. A
/// robust standard deviation is 1.4826 median deviations, which for a normal distribution is its standard
/// deviation; 3.5 is where Iglewicz and Hoaglin (How to Detect and Handle Outliers, 1993) call a value an outlier.
/// A value whose failure would be further than half the median away has no limit: what such a one lets pass is as good
/// as everything.
/// @throws EnvironmentError where no value has a limit.
[[nodiscard]] Baseline make_baseline(const std::vector<MeasuredValue>& values, const BaselineOptions& options);

}  // namespace gpucheck::fleet
