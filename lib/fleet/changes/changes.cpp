#include "fleet/changes/changes.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text/sanitize.hpp"
#include "fleet/history/history.hpp"
#include "fleet/median.hpp"
#include "fleet/nodes/fleet_history.hpp"
#include "fleet/nodes/fleet_settings.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Verdict;

/// What runs of a fleet have, each once.
template <typename Read>
std::string texts_of(const Fleet& fleet, Read read) {
  std::set<std::string> texts;
  for (const KeptRun& run : fleet.runs) read(run, texts);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<ConditionChange> condition_changes(const Fleet& before, const Fleet& after) {
  std::vector<ConditionChange> changes;
  const auto add = [&](const char* what, auto read) {
    ConditionChange change{.what = what, .before = texts_of(before, read), .after = texts_of(after, read)};
    if (change.before != change.after) changes.push_back(std::move(change));
  };
  add("gpucheck", [](const KeptRun& run, std::set<std::string>& texts) { texts.insert(run.start.version); });
  add("golden files", [](const KeptRun& run, std::set<std::string>& texts) { texts.insert(run.start.golden_digest); });
  add("driver", [](const KeptRun& run, std::set<std::string>& texts) {
    for (const harness::DeviceIdentity& device : run.start.devices) texts.insert(device.driver_version);
  });
  add("settings", [](const KeptRun& run, std::set<std::string>& texts) { texts.insert(settings_text(run)); });
  add("site cases", [](const KeptRun& run, std::set<std::string>& texts) {
    for (const harness::SiteCase& one : run.start.site_cases) {
      texts.insert(one_line(fmt::format("{} {}", one.name, one.digest), 120));
    }
  });
  return changes;
}

std::string place_of(const RecordedGpu& gpu) { return one_line(fmt::format("{} of {}", gpu.uuid, gpu.node), 200); }

/// Where GPUs are, by UUID.
std::map<std::string, std::string> places_by_uuid(const HistoryRecord& record) {
  std::map<std::string, std::string> places;
  for (const RecordedGpu& gpu : record.gpus) places.emplace(gpu.uuid, place_of(gpu));
  return places;
}

/// The places of what only the first has.
std::vector<std::string> only_in(const std::map<std::string, std::string>& one,
                                 const std::map<std::string, std::string>& other) {
  std::vector<std::string> places;
  for (const auto& [uuid, place] : one) {
    if (!other.contains(uuid)) places.push_back(place);
  }
  return places;
}

/// The same GPU in the same metric, before and after.
struct Pair {
  const RecordedGpu* gpu = nullptr;
  double before = 0;
  double after = 0;
  double gain = 0;  ///< the logarithm of the ratio, below 0 where it is worse
};

/// What was measured of each GPU before. Simulated GPUs of several nodes have the same UUID: the one of the same node
/// goes before, and a GPU that was moved is known all the same.
class Earlier {
 public:
  Earlier(const HistoryRecord& record, const RecordedMetric& metric) {
    for (std::size_t i = 0; i < record.gpus.size(); ++i) {
      if (!metric.values[i]) continue;
      in_place_.emplace(Place(record.gpus[i].uuid, record.gpus[i].node), *metric.values[i]);
      anywhere_.emplace(record.gpus[i].uuid, *metric.values[i]);
    }
  }
  [[nodiscard]] std::optional<double> of(const RecordedGpu& gpu) const {
    if (const auto found = in_place_.find(Place(gpu.uuid, gpu.node)); found != in_place_.end()) return found->second;
    const auto found = anywhere_.find(gpu.uuid);
    return found == anywhere_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  using Place = std::pair<std::string_view, std::string_view>;  ///< UUID and node: the record's

  std::map<Place, double> in_place_;
  std::map<std::string_view, double> anywhere_;
};

std::vector<Pair> pairs_of(const Earlier& earlier, const HistoryRecord& after, const RecordedMetric& metric) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < after.gpus.size(); ++i) {
    const std::optional<double> before = earlier.of(after.gpus[i]);
    if (!before || !metric.values[i]) continue;
    pairs.push_back({.gpu = &after.gpus[i],
                     .before = *before,
                     .after = *metric.values[i],
                     .gain = level(*metric.values[i], *before, metric.high_is_bad)});
  }
  return pairs;
}

std::vector<double> each(const std::vector<Pair>& pairs, double Pair::*member) {
  std::vector<double> values;
  values.reserve(pairs.size());
  for (const Pair& pair : pairs) values.push_back(pair.*member);
  return values;
}

/// How changes scatter around the one that all have in common. What is steadier than a thousandth is measured no better
/// than that.
double scatter_around(double common, const std::vector<Pair>& pairs) {
  std::vector<double> deviations;
  deviations.reserve(pairs.size());
  for (const Pair& pair : pairs) deviations.push_back(std::abs(pair.gain - common));
  return std::max(1.4826 * median(std::move(deviations)), 0.001);
}

class ValueChanges {
 public:
  /// The records must outlive it.
  ValueChanges(const HistoryRecord& before, const HistoryRecord& after, const ChangeRules& rules) : rules_(rules) {
    for (const RecordedMetric& metric : after.metrics) {
      const auto old = std::ranges::find(before.metrics, metric.name, &RecordedMetric::name);
      if (old == before.metrics.end()) continue;
      std::vector<Pair> pairs = pairs_of(Earlier(before, *old), after, metric);
      compared_ += pairs.size();
      if (!pairs.empty()) pairs_.emplace_back(metric.name, std::move(pairs));
    }
  }

  [[nodiscard]] std::size_t compared() const noexcept { return compared_; }

  [[nodiscard]] std::vector<ValueChange> all() const {
    std::vector<ValueChange> changes;
    for (const auto& [metric, pairs] : pairs_) {
      double common = 0;
      double reach = -std::log1p(-rules_.least_change);
      if (pairs.size() >= rules_.enough) {
        common = median(each(pairs, &Pair::gain));
        const double scatter = scatter_around(common, pairs);
        add_common(changes, metric, pairs, common, scatter);
        reach = std::max(reach, scatter * critical_score(rules_.false_alarms, compared_));
      }
      for (const Pair& pair : pairs) {
        if (std::abs(pair.gain - common) <= reach) continue;
        changes.push_back({.metric = metric,
                           .place = place_of(*pair.gpu),
                           .gpus = 1,
                           .before = pair.before,
                           .after = pair.after,
                           .gain = std::expm1(pair.gain)});
      }
    }
    std::ranges::sort(changes, [](const ValueChange& one, const ValueChange& other) {
      return std::tie(one.gain, one.metric, one.place) < std::tie(other.gain, other.metric, other.place);
    });
    return changes;
  }

 private:
  /// The standard error of a median is 1.2533 times that of a mean.
  void add_common(std::vector<ValueChange>& changes, const std::string& metric, const std::vector<Pair>& pairs,
                  double common, double scatter) const {
    const double error = 1.2533 * scatter / std::sqrt(static_cast<double>(pairs.size()));
    const bool is_chance = std::abs(common) <= error * critical_score(rules_.false_alarms, pairs_.size());
    if (is_chance || std::abs(common) <= -std::log1p(-rules_.least_common_change)) return;
    changes.push_back({.metric = metric,
                       .place = "",
                       .gpus = pairs.size(),
                       .before = median(each(pairs, &Pair::before)),
                       .after = median(each(pairs, &Pair::after)),
                       .gain = std::expm1(common)});
  }

  ChangeRules rules_;
  std::vector<std::pair<std::string, std::vector<Pair>>> pairs_;
  std::size_t compared_ = 0;
};

void compare_nodes(Changes& changes, const Fleet& before, const Fleet& after) {
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    const auto old = std::ranges::find(before.nodes, after.nodes[i].name, &FleetNode::name);
    if (old == before.nodes.end()) continue;
    ++changes.compared_nodes;
    if (old->verdict == after.nodes[i].verdict) continue;
    changes.verdicts.push_back({.before = static_cast<std::size_t>(old - before.nodes.begin()), .after = i});
  }
}

Verdict verdict_of(const Changes& changes, const Fleet& before, const Fleet& after) {
  const auto became = [&](Verdict verdict) {
    return std::ranges::any_of(changes.verdicts, [&](const VerdictChange& one) {
      return before.nodes[one.before].verdict == Verdict::passed && after.nodes[one.after].verdict == verdict;
    });
  };
  const bool has_worse = std::ranges::any_of(changes.values, [](const ValueChange& one) { return one.gain < 0; });
  if (has_worse || became(Verdict::failed)) return Verdict::failed;
  const bool can_compare = changes.compared_nodes + changes.compared_values > 0;
  const bool is_whole = before.problems.empty() && after.problems.empty();
  return can_compare && is_whole && !became(Verdict::not_judged) ? Verdict::passed : Verdict::not_judged;
}

}  // namespace

Changes find_changes(const Fleet& before, const Fleet& after, const ChangeRules& rules) {
  Changes changes;
  changes.conditions = condition_changes(before, after);
  const HistoryRecord old_record = record_of(before);
  const HistoryRecord new_record = record_of(after);
  changes.gone = only_in(places_by_uuid(old_record), places_by_uuid(new_record));
  changes.added = only_in(places_by_uuid(new_record), places_by_uuid(old_record));
  compare_nodes(changes, before, after);
  const ValueChanges values(old_record, new_record, rules);
  changes.values = values.all();
  changes.compared_values = values.compared();
  changes.verdict = verdict_of(changes, before, after);
  return changes;
}

}  // namespace gpucheck::fleet
