#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "telemetry/machine/machine.hpp"

namespace gpucheck::telemetry {

/// The gauges of one GPU at one moment; in the order of `sampled_gauges`, none for what could not be read.
struct Sample {
  double at_ms = 0;  ///< since the series began
  std::array<std::optional<std::int64_t>, sampled_gauges.size()> values;

  /// @param gauge one of `sampled_gauges`; none of another.
  [[nodiscard]] std::optional<std::int64_t> operator[](Reading gauge) const noexcept;
};

/// How one gauge moved.
struct GaugeRange {
  std::int64_t min = 0;
  double mean = 0;
  std::int64_t max = 0;
};

/// The gauges of one GPU over some time. The ranges are of all samples that were ever added; of the samples themselves
/// the last hour is kept, so that a run of days holds no more.
class Series {
 public:
  void add(const Sample& sample);
  /// A moment at which nothing could be read, and why.
  void add_problem(std::string problem);

  [[nodiscard]] const std::deque<Sample>& samples() const noexcept { return samples_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// None where the gauge was never read.
  [[nodiscard]] std::optional<GaugeRange> range(Reading gauge) const noexcept;
  /// The last reason for a missing sample; empty where none is missing.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  struct Sums {
    std::int64_t min = 0;
    std::int64_t max = 0;
    double sum = 0;
    std::size_t count = 0;
  };

  std::deque<Sample> samples_;
  std::size_t count_ = 0;
  std::array<Sums, sampled_gauges.size()> sums_;
  std::string problem_;
};

/// The gauges among a GPU's values.
[[nodiscard]] Sample sample_of(const Gpu& gpu, double at_ms);

}  // namespace gpucheck::telemetry
