#pragma once

#include <cstddef>
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
  std::string name;  ///< "group.case.key"
  double value = 0;
  bool is_least = false;  ///< less than the limit is bad
  bool is_most = false;   ///< more than the limit is bad
};

/// What a set of numbers comes to, however a few of them stray. Of an even number of them the median is the mean of the
/// two in the middle.
struct RobustSummary {
  double median = 0;
  double median_deviation = 0;  ///< the median of the distances from it
  std::size_t count = 0;
};
/// Of nothing: all zero.
[[nodiscard]] RobustSummary summarise(std::vector<double> values);

/// Measurements of cases that passed, in the text of a result file (gpucheck.result/1, or gpucheck.fleet/1 of several).
/// One that warned counts: it is how machines of the model are. A case that failed, or its value, does not.
/// @throws EnvironmentError with `path` and the place for what is no such file.
[[nodiscard]] std::vector<MeasuredValue> measured_values(std::string_view text, const std::string& path);

struct BaselineOptions {
  std::size_t minimum_count = 5;  ///< values of fewer measurements give no limit
};

struct Baseline {
  std::string limits;                 ///< the file's text, gpucheck.limits/1, a class for each model
  std::vector<std::string> left_out;  ///< values with too few measurements, in words
};

/// Limits from what was measured. A value is warned of beyond the median by 3.5 robust standard deviations and fails
/// beyond 7, but not within 3 and 6 % of the median: machines that are all alike would otherwise rule each other out. A
/// robust standard deviation is 1.4826 median deviations, which for a normal distribution is its standard
/// deviation; 3.5 is where Iglewicz and Hoaglin (How to Detect and Handle Outliers, 1993) call a value an outlier.
/// @throws EnvironmentError where no value has enough measurements.
[[nodiscard]] Baseline make_baseline(const std::vector<MeasuredValue>& values, const BaselineOptions& options);

}  // namespace gpucheck::fleet
