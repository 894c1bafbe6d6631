#include "fleet/outliers/outliers.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>

#include "fleet/median.hpp"

namespace gpucheck::fleet {
namespace {

constexpr std::array scopes{Scope::rack, Scope::slot, Scope::node, Scope::gpu};
constexpr double least_scatter = 0.001;  // what is steadier than a thousandth is measured no better than that

/// Takes the upper of the middle two of an even number.
double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// An estimate of the standard deviation that a few odd values do not change: 1.4826 times the median of the absolute
/// deviations, then, because that is unsteady where values are few, the standard deviation of those within three times
/// as much, and the further the fewer they are. Normal values cut at three have 0.9866 of theirs.
double scatter_of(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  const double rough = 1.4826 * median(deviations);
  const double reach = rough * 3 * (1 + 4 / std::sqrt(static_cast<double>(values.size())));
  double sum = 0;
  std::size_t count = 0;
  for (const double deviation : deviations) {
    if (deviation > reach) continue;
    sum += deviation * deviation;
    ++count;
  }
  return count < 2 ? rough : std::sqrt(sum / static_cast<double>(count - 1)) / 0.9866;
}

/// Readings of one metric as shares, those that are worse below 0.
struct Shares {
  std::string name;
  std::vector<std::size_t> sites;
  std::vector<double> values;  ///< logarithm of the ratio to the median
  double scatter = 0;
  double center = 0;  ///< the logarithm of the median; the other sign where high values are bad
};

std::optional<Shares> shares_of(const Metric& metric, const OutlierRules& rules) {
  Shares shares{.name = metric.name, .sites = {}, .values = {}};
  for (const Reading& reading : metric.readings) {
    if (!std::isfinite(reading.value) || reading.value <= 0) continue;
    shares.sites.push_back(reading.site);
    shares.values.push_back(std::log(reading.value) * (metric.high_is_bad ? -1 : 1));
  }
  if (shares.values.size() < rules.least_readings) return std::nullopt;
  shares.center = median(shares.values);
  for (double& value : shares.values) value -= shares.center;
  shares.scatter = std::max(scatter_of(shares.values), least_scatter);
  return shares;
}

/// Which GPUs belong to each place of one scope.
using Places = std::map<std::string, std::vector<std::size_t>>;

std::string name_of(const Site& site, Scope scope, std::size_t place) {
  switch (scope) {
    case Scope::rack:
      return site.rack;
    case Scope::slot:
      return site.slot;
    case Scope::node:
      return site.node;
    case Scope::gpu:
      return std::to_string(place);
  }
  return {};
}

/// Places in the readings of one metric; numbers are of readings. A place of one GPU is that GPU, and one that holds
/// all of them has no others to be compared with.
Places places_of(const Shares& shares, const std::vector<Site>& sites, Scope scope) {
  Places places;
  for (std::size_t i = 0; i < shares.sites.size(); ++i) {
    std::string name = name_of(sites[shares.sites[i]], scope, i);
    if (!name.empty()) places[std::move(name)].push_back(i);
  }
  if (scope == Scope::gpu) return places;
  std::erase_if(places, [](const auto& place) { return place.second.size() < 2; });
  if (places.size() < 2) places.clear();
  return places;
}

double value_of(const std::vector<std::size_t>& readings, const Shares& shares) {
  std::vector<double> values;
  values.reserve(readings.size());
  for (const std::size_t reading : readings) values.push_back(shares.values[reading]);
  return upper_median(std::move(values));
}

/// How medians of places scatter: as the median of as many normal values does (its standard error is sqrt(pi / 2)
/// times that of their mean), or as these places do.
double scatter_between(const Places& places, const Shares& shares) {
  constexpr std::size_t enough = 5;  // fewer places say too little
  if (places.size() < enough) return 0;
  std::vector<double> values;
  values.reserve(places.size());
  for (const auto& [_, readings] : places) values.push_back(value_of(readings, shares));
  return scatter_of(values);
}

double scatter_within(std::size_t count, const Shares& shares) {
  if (count == 1) return shares.scatter;
  return shares.scatter * std::sqrt(std::numbers::pi / 2 / static_cast<double>(count));
}

/// The fewer readings there are, the less is known of how they scatter: by chance they scatter less than they should by
/// one standard error, which is 0.75 divided by the root of their number, and rarely by more than three of them.
double score_needed(double critical, std::size_t readings) {
  return critical * (1 + 3 * 0.75 / std::sqrt(static_cast<double>(readings)));
}

class Search {
 public:
  Search(const std::vector<Site>& sites, const OutlierRules& rules, double critical)
      : sites_(sites), rules_(rules), critical_(critical) {}

  /// Takes what each place explains off its readings.
  void look_at(Shares& shares) {
    for (const Scope scope : scopes) {
      const Places places = places_of(shares, sites_, scope);
      const double between = scope == Scope::gpu ? 0 : scatter_between(places, shares);
      for (const auto& [name, readings] : places) {
        const double value = value_of(readings, shares);
        const double score = -value / std::max(between, scatter_within(readings.size(), shares));
        const double loss = 1 - std::exp(value);
        if (score < score_needed(critical_, shares.values.size()) || loss < rules_.least_loss) continue;
        const std::size_t site = shares.sites[readings.front()];
        add(scope, scope == Scope::gpu ? "" : name, site, {.metric = shares.name, .loss = loss, .scores = score});
        for (const std::size_t reading : readings) shares.values[reading] -= value;
      }
      shares.scatter = std::max(scatter_of(shares.values), least_scatter);
    }
  }

  std::vector<Suspect> take() {
    std::vector<Suspect> all;
    for (auto& [_, suspect] : suspects_) {
      std::ranges::stable_sort(suspect.evidence, std::greater(), &Evidence::scores);
      all.push_back(std::move(suspect));
    }
    std::ranges::stable_sort(all, std::greater(), [](const Suspect& one) { return one.evidence.front().scores; });
    return all;
  }

 private:
  void add(Scope scope, const std::string& place, std::size_t site, Evidence evidence) {
    Suspect& suspect = suspects_[{scope, place, scope == Scope::gpu ? site : 0}];
    if (suspect.evidence.empty()) {
      suspect.scope = scope;
      suspect.place = place;
      suspect.site = site;
    }
    suspect.evidence.push_back(std::move(evidence));
  }

  const std::vector<Site>& sites_;
  const OutlierRules& rules_;
  double critical_;
  std::map<std::tuple<Scope, std::string, std::size_t>, Suspect> suspects_;
};

/// What is left of each GPU's shares, its median over all that it did at some speed: what is a little slow in
/// everything is slow.
std::optional<Shares> all_speeds(const std::vector<Shares>& speeds, const OutlierRules& rules) {
  std::map<std::size_t, std::vector<double>> by_site;
  for (const Shares& one : speeds) {
    for (std::size_t i = 0; i < one.sites.size(); ++i) by_site[one.sites[i]].push_back(one.values[i]);
  }
  constexpr std::size_t several = 3;
  Shares shares{.name = all_speeds_metric, .sites = {}, .values = {}};
  for (auto& [site, own] : by_site) {
    if (own.size() < several) continue;
    shares.sites.push_back(site);
    shares.values.push_back(median(std::move(own)));
  }
  if (shares.values.size() < rules.least_readings) return std::nullopt;
  shares.scatter = std::max(scatter_of(shares.values), least_scatter);
  return shares;
}

}  // namespace

double critical_score(double alarms, std::size_t tests) {
  const double share = std::min(0.5, alarms / static_cast<double>(std::max<std::size_t>(tests, 1)));
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * share);
}

Outliers find_outliers(const std::vector<Metric>& metrics, const std::vector<Site>& sites, const OutlierRules& rules) {
  Outliers outliers;
  std::vector<Shares> all;
  std::size_t tests = 0;
  for (const Metric& metric : metrics) {
    std::optional<Shares> shares = shares_of(metric, rules);
    if (!shares) continue;
    for (const Scope scope : scopes) tests += places_of(*shares, sites, scope).size();
    outliers.usual.push_back({.metric = metric.name,
                              .high_is_bad = metric.high_is_bad,
                              .median = std::exp(metric.high_is_bad ? -shares->center : shares->center),
                              .scatter = shares->scatter});
    all.push_back(std::move(*shares));
  }
  tests += all.empty() ? 0 : tests / all.size();  // for all speeds
  Search search(sites, rules, critical_score(rules.false_alarms, tests));
  std::vector<Shares> speeds;
  for (std::size_t i = 0; i < all.size(); ++i) {
    search.look_at(all[i]);
    outliers.usual[i].scatter = all[i].scatter;  // without what was found
    if (!outliers.usual[i].high_is_bad) speeds.push_back(std::move(all[i]));
  }
  if (std::optional<Shares> shares = all_speeds(speeds, rules)) {
    search.look_at(*shares);
    outliers.usual.push_back({.metric = shares->name, .median = 1, .scatter = shares->scatter});
  }
  outliers.suspects = search.take();
  return outliers;
}

namespace {

bool is_in(const Suspect& suspect, std::size_t site, const std::vector<Site>& sites) {
  return suspect.scope == Scope::gpu ? site == suspect.site
                                     : name_of(sites[site], suspect.scope, site) == suspect.place;
}

/// The shares of the suspect's GPUs in one metric.
std::vector<double> shares_again(const Suspect& suspect, const Usual& usual, const std::vector<Metric>& again,
                                 const std::vector<Site>& sites) {
  std::vector<double> shares;
  for (const Metric& metric : again) {
    if (metric.name != usual.metric) continue;
    for (const Reading& reading : metric.readings) {
      if (!std::isfinite(reading.value) || reading.value <= 0 || !is_in(suspect, reading.site, sites)) continue;
      shares.push_back(std::log(reading.value / usual.median) * (usual.high_is_bad ? -1 : 1));
    }
  }
  return shares;
}

}  // namespace

SecondLook look_again(const Suspect& suspect, const std::vector<Usual>& usual, const std::vector<Metric>& again,
                      const std::vector<Site>& sites, const OutlierRules& rules) {
  const std::string& wanted = suspect.evidence.front().metric;
  const bool wants_all = wanted == all_speeds_metric;
  std::vector<double> shares;
  double scatter = 0;
  for (const Usual& one : usual) {
    if (one.metric == wanted) scatter = one.scatter;
    if (one.metric != wanted && (!wants_all || one.high_is_bad)) continue;
    for (const double share : shares_again(suspect, one, again, sites)) shares.push_back(share);
  }
  if (shares.empty()) return SecondLook::none;
  const double share = wants_all ? median(std::move(shares)) : upper_median(std::move(shares));
  const bool is_worse = 1 - std::exp(share) >= rules.least_loss && -share >= critical_score(0.01, 1) * scatter;
  return is_worse ? SecondLook::confirmed : SecondLook::refuted;
}

}  // namespace gpucheck::fleet
