#include "fleet/history/drift.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "fleet/median.hpp"

namespace gpucheck::fleet {
namespace {

/// In standard deviations: a sum finds changes of twice its allowance soonest.
constexpr std::array allowances{0.5, 1.0};
constexpr double greatest_score = 4;           // of one value
constexpr double least_drift_scatter = 0.001;  // what is steadier than a thousandth is measured no better than that

std::vector<double> differences_of(const std::vector<double>& series) {
  std::vector<double> differences(series.size());
  std::adjacent_difference(series.begin(), series.end(), differences.begin());
  if (!differences.empty()) differences.erase(differences.begin());
  for (double& one : differences) one = std::abs(one);
  return differences;
}

/// The difference of two normal values has the square root of two times their standard deviation, and the median of its
/// absolute value is 0.6745 of that.
double scatter_by(const std::vector<double>& differences) {
  return differences.empty() ? 0 : median(differences) / (0.6745 * std::sqrt(2.0));
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// By how many standard deviations each value falls short of the mean of those before it. The first has none.
std::vector<double> shortfalls_of(const std::vector<double>& series, double scatter) {
  std::vector<double> shortfalls;
  double before = 0;
  double mean_before = 0;
  for (double value : series) {
    if (before > 0) {
      // The mean of those before scatters itself.
      const double of_difference = scatter * std::sqrt((before + 1) / before);
      const double score = std::clamp((mean_before - value) / of_difference, -greatest_score, greatest_score);
      shortfalls.push_back(score);
      value = mean_before - score * of_difference;
    }
    ++before;
    mean_before += (value - mean_before) / before;
  }
  return shortfalls;
}

double sum_of(const std::vector<double>& shortfalls, double allowance) {
  double sum = 0;
  for (const double one : shortfalls) sum = std::max(0.0, sum + one - allowance);
  return sum;
}

/// Where those before and those after differ most.
Drift split_of(std::span<const double> series, double scatter) {
  Drift best;
  for (std::size_t since = 1; since < series.size(); ++since) {
    const auto before = static_cast<double>(since);
    const auto after = static_cast<double>(series.size() - since);
    const double difference = mean(series.first(since)) - mean(series.subspan(since));
    const double scores = difference / (scatter * std::sqrt(1 / before + 1 / after));
    if (scores > best.scores) best = {.since = since, .loss = 1 - std::exp(-difference), .scores = scores};
  }
  return best;
}

/// What a sum with this allowance must not exceed.
struct Bound {
  double allowance = 0;
  double limit = 0;
};

std::optional<Drift> drift_of(const std::vector<double>& series, double scatter, std::span<const Bound> bounds,
                              const DriftRules& rules) {
  const std::vector<double> shortfalls = shortfalls_of(series, scatter);
  const auto is_exceeded = [&](const Bound& bound) { return sum_of(shortfalls, bound.allowance) > bound.limit; };
  if (std::ranges::none_of(bounds, is_exceeded)) return std::nullopt;
  const Drift drift = split_of(series, scatter);
  return drift.loss >= rules.least_loss ? std::optional(drift) : std::nullopt;
}

}  // namespace

double drift_limit(double run_length, double allowance) {
  // Siegmund: with the allowance k the run length is (exp(2kb) - 2kb - 1) / 2kk, where b is the limit and 1.166 more.
  constexpr double overshoot = 1.166;
  const double wanted = 2 * allowance * allowance * run_length;
  double low = 0;
  double high = 200;  // more than any run length has
  while (high - low > 1e-6) {
    const double middle = (low + high) / 2;
    (std::exp(middle) - middle - 1 < wanted ? low : high) = middle;
  }
  return std::max(0.0, low / (2 * allowance) - overshoot);
}

std::vector<std::optional<Drift>> find_drifts(const std::vector<std::vector<double>>& series, std::size_t tests,
                                              const DriftRules& rules) {
  std::vector<std::optional<Drift>> drifts(series.size());
  std::vector<double> differences;
  for (const std::vector<double>& one : series) {
    const std::vector<double> of_one = differences_of(one);
    differences.insert(differences.end(), of_one.begin(), of_one.end());
  }
  if (differences.size() < rules.least_differences) return drifts;
  const double common = std::max(scatter_by(differences), least_drift_scatter);
  std::vector<Bound> bounds;
  const double run_length = static_cast<double>(tests * allowances.size()) / rules.false_alarms;
  for (const double allowance : allowances) {
    const double of_one_value =
        greatest_score - allowance;  // one odd run does not make a drift, however few series there are
    bounds.push_back({allowance, std::max(drift_limit(run_length, allowance), of_one_value)});
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].size() < rules.least_values) continue;
    const double scatter = std::max(common, scatter_by(differences_of(series[i])));
    drifts[i] = drift_of(series[i], scatter, bounds, rules);
  }
  return drifts;
}

}  // namespace gpucheck::fleet
