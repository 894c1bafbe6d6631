#include "telemetry/series.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::telemetry {
namespace {

/// An hour at ten a second.
constexpr std::size_t samples_kept = 36'000;

std::optional<std::size_t> place_of(Reading gauge) noexcept {
  const auto* const found = std::ranges::find(sampled_gauges, gauge);
  if (found == sampled_gauges.end()) return {};
  return static_cast<std::size_t>(found - sampled_gauges.begin());
}

}  // namespace

std::optional<std::int64_t> Sample::operator[](Reading gauge) const noexcept {
  const auto place = place_of(gauge);
  return place ? values[*place] : std::nullopt;
}

void Series::add(const Sample& sample) {
  ++count_;
  samples_.push_back(sample);
  if (samples_.size() > samples_kept) samples_.pop_front();
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (!sample.values[i]) continue;
    const std::int64_t value = *sample.values[i];
    Sums& sums = sums_[i];
    sums.min = sums.count == 0 ? value : std::min(sums.min, value);
    sums.max = sums.count == 0 ? value : std::max(sums.max, value);
    sums.sum += static_cast<double>(value);
    ++sums.count;
  }
}

void Series::add_problem(std::string problem) { problem_ = std::move(problem); }

std::optional<GaugeRange> Series::range(Reading gauge) const noexcept {
  const auto place = place_of(gauge);
  if (!place || sums_[*place].count == 0) return {};
  const Sums& sums = sums_[*place];
  return GaugeRange{.min = sums.min, .mean = sums.sum / static_cast<double>(sums.count), .max = sums.max};
}

Sample sample_of(const Gpu& gpu, double at_ms) {
  Sample sample{.at_ms = at_ms, .values = {}};
  for (std::size_t i = 0; i < sampled_gauges.size(); ++i) sample.values[i] = number(gpu[sampled_gauges[i]]);
  return sample;
}

}  // namespace gpucheck::telemetry
