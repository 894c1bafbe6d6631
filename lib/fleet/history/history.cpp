#include "fleet/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace gpucheck::fleet {
namespace {

struct Point {
  std::string_view time;
  double value = 0;
  std::optional<double> usual;
};

/// What was measured of one GPU in one metric, the oldest first, the last one now.
using Past = std::vector<Point>;

/// Series of one metric by UUID: those of `now`.
using Pasts = std::map<std::string_view, Past, std::less<>>;

bool is_relative(const Past& past) {
  return std::ranges::all_of(past, [](const Point& point) { return point.usual.has_value(); });
}

std::vector<double> levels_of(const Past& past, bool high_is_bad) {
  const bool relative = is_relative(past);
  std::vector<double> levels;
  levels.reserve(past.size());
  for (const Point& point : past) levels.push_back(level(point.value, relative ? *point.usual : 1, high_is_bad));
  return levels;
}

class Metrics {
 public:
  explicit Metrics(const HistoryRecord& now) {
    for (const RecordedMetric& metric : now.metrics) {
      Pasts& pasts = pasts_[metric.name];
      for_each_value(now, metric,
                     [&pasts](const RecordedGpu& gpu, const Point& point) { pasts.emplace(gpu.uuid, Past{point}); });
    }
  }

  void add(const HistoryRecord& record) {
    for (const RecordedMetric& metric : record.metrics) {
      const auto pasts = pasts_.find(metric.name);
      if (pasts == pasts_.end()) continue;
      for_each_value(record, metric, [&pasts](const RecordedGpu& gpu, const Point& point) {
        const auto past = pasts->second.find(gpu.uuid);
        if (past != pasts->second.end() && point.time < past->second.front().time) {
          past->second.push_back(point);
        }
      });
    }
  }

  /// Puts what was added in order.
  void finish() {
    for (auto& [_, pasts] : pasts_) {
      for (auto& [uuid, past] : pasts) {
        std::ranges::sort(past, {}, [](const Point& point) { return std::pair(point.time, point.value); });
        const auto is_same = [](const Point& one, const Point& other) { return one.time == other.time; };
        past.erase(std::unique(past.begin(), past.end(), is_same), past.end());
      }
    }
  }

  [[nodiscard]] const Pasts& of(const std::string& metric) const { return pasts_.at(metric); }
  [[nodiscard]] std::size_t size() const {
    const auto add = [](std::size_t sum, const auto& pasts) { return sum + pasts.second.size(); };
    return std::accumulate(pasts_.begin(), pasts_.end(), std::size_t{0}, add);
  }

 private:
  template <typename Take>
  static void for_each_value(const HistoryRecord& record, const RecordedMetric& metric, Take take) {
    for (std::size_t i = 0; i < record.gpus.size(); ++i) {
      const std::optional<double>& value = metric.values[i];
      if (value) take(record.gpus[i], Point{.time = record.gpus[i].time, .value = *value, .usual = metric.usual});
    }
  }

  std::map<std::string_view, Pasts, std::less<>> pasts_;
};

}  // namespace

double level(double value, double usual, bool high_is_bad) {
  return (std::log(value) - std::log(usual)) * (high_is_bad ? -1 : 1);
}

std::vector<GpuDrift> find_drifting_gpus(const std::vector<HistoryRecord>& past, const HistoryRecord& now,
                                         const DriftRules& rules) {
  Metrics metrics(now);
  for (const HistoryRecord& record : past) metrics.add(record);
  metrics.finish();
  std::vector<GpuDrift> found;
  for (const RecordedMetric& metric : now.metrics) {
    std::vector<std::vector<double>> series;
    for (const auto& [_, one] : metrics.of(metric.name)) series.push_back(levels_of(one, metric.high_is_bad));
    const std::vector<std::optional<Drift>> drifts = find_drifts(series, metrics.size(), rules);
    std::size_t place = 0;
    for (const auto& [uuid, one] : metrics.of(metric.name)) {
      const std::vector<double>& levels = series[place];
      const std::optional<Drift>& drift = drifts[place++];
      if (!drift) continue;
      const std::span<const double> before = std::span(levels).first(drift->since);
      found.push_back(
          {.uuid = std::string(uuid),
           .metric = metric.name,
           .high_is_bad = metric.high_is_bad,
           .drift = *drift,
           .since = std::string(one[drift->since].time),
           .runs = one.size() - drift->since,
           .before = std::accumulate(before.begin(), before.end(), 0.0) / static_cast<double>(before.size()),
           .is_relative = is_relative(one)});
    }
  }
  std::ranges::sort(found, [](const GpuDrift& one, const GpuDrift& other) {
    return std::tuple(other.drift.scores, one.uuid, one.metric) <
           std::tuple(one.drift.scores, other.uuid, other.metric);
  });
  return found;
}

}  // namespace gpucheck::fleet
