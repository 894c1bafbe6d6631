#include "golden/limits/limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <re2/re2.h>
#include <stdexcept>
#include <utility>

#include "base/text/pci_address.hpp"
#include "golden/document/matcher.hpp"
#include "golden/document/node.hpp"
#include "golden/document/syntax.hpp"
#include "golden/limits/best_values.hpp"
#include "harness/case/registry.hpp"

namespace gpucheck::golden {
namespace {

using harness::DeviceIdentity;
using harness::Measurement;

/// A limit in the value's own unit beyond these shares of the device's best is in another unit: off by 1000, or by 8.
constexpr double least_credible_share = 0.02;
constexpr double greatest_credible_share = 1.5;

struct Bound {
  const char* name;
  std::optional<double> Limit::*member;
};
/// In the order in which they have to rise.
constexpr std::array bounds{Bound{"fail_below", &Limit::fail_below}, Bound{"warn_below", &Limit::warn_below},
                            Bound{"warn_above", &Limit::warn_above}, Bound{"fail_above", &Limit::fail_above}};

void read_bounds(const Node& node, Limit& limit) {
  std::optional<double> last;
  for (const Bound& bound : bounds) {
    const auto field = node.field(bound.name);
    if (!field) continue;
    const double number = field->floating_point();
    if (number < 0) field->reject("a number that is not negative");
    if (last && number < *last) field->reject("limits that rise: fail_below, warn_below, warn_above, fail_above");
    last = limit.*bound.member = number;
  }
  if (!limit.fail_below && !limit.fail_above) {
    node.reject("a field \"fail_below\" or \"fail_above\": what only warns judges nothing");
  }
}

std::string best_value_name(const Node& node) {
  std::string name = node.non_empty_string();
  if (!is_best_value(name)) node.reject(fmt::format("one of {}", best_value_names()));
  return name;
}

Limit read_limit(const Node& node) {
  node.require_object({"of", "fail_below", "warn_below", "warn_above", "fail_above", "source"});
  Limit limit{.of = {}, .source = node.required_field("source").non_empty_string()};
  if (const auto of = node.field("of")) limit.of = best_value_name(*of);
  read_bounds(node, limit);
  return limit;
}

/// "group.case.key": a case's name has one dot.
void check_name(const std::string& name, const Node& node) {
  const std::size_t group_end = name.find('.');
  const std::size_t case_end = group_end == std::string::npos ? group_end : name.find('.', group_end + 1);
  if (case_end == std::string::npos || case_end + 1 == name.size()) {
    node.reject(fmt::format("a value's name \"group.case.key\" before it, not {}", quotation(name)));
  }
}

/// As many links, lanes and generations as no GPU has: what is beyond is a mistake.
constexpr std::uint64_t greatest_expectation = 64;

void read_expectations(const Node& node, LimitClass& limits) {
  node.require_object({"expected_links", "expected_width", "expected_generation"});
  for (const auto& [name, value] : node.fields()) {
    const std::uint64_t number = value.count();
    if (number > greatest_expectation) value.reject(fmt::format("at most {}", greatest_expectation));
    limits.expectations.emplace_back(name, static_cast<std::int64_t>(number));
  }
}

void read_limits(const Node& node, LimitClass& limits) {
  for (const auto& [name, limit] : node.fields()) {
    check_name(name, limit);
    limits.limits.emplace_back(name, read_limit(limit));
  }
}

LimitClass read_class(const Node& node) {
  node.require_object({"name", "device", "kind", "uuid", "pci_address", "tells", "limits", "expect"});
  LimitClass limits{
      .name = node.required_field("name").non_empty_string(), .device = {}, .device_regex = {}, .limits = {}};
  if (const auto device = node.field("device")) {
    limits.device = device->non_empty_string();
    try {
      limits.device_regex = make_matches(limits.device).compiled;
    } catch (const std::invalid_argument& problem) {
      device->reject(fmt::format("a regular expression in RE2's syntax ({})", quotation(problem.what())));
    }
  }
  if (const auto kind = node.field("kind")) limits.kind = kind->one_of({"cuda", "sim"});
  if (const auto tells = node.field("tells")) limits.tells = best_value_name(*tells);
  if (const auto uuid = node.field("uuid")) limits.uuid = uuid->non_empty_string();
  if (const auto address = node.field("pci_address")) limits.pci_address = address->non_empty_string();
  if (const auto expect = node.field("expect")) read_expectations(*expect, limits);
  if (const auto values = node.field("limits")) read_limits(*values, limits);
  if (limits.limits.empty() && limits.expectations.empty()) node.reject("a field \"limits\" or \"expect\"");
  return limits;
}

bool is_of(const LimitClass& limits, const DeviceIdentity& device) {
  if (limits.kind && *limits.kind != device.kind) return false;
  if (!limits.uuid.empty() && limits.uuid != device.uuid) return false;
  if (!limits.pci_address.empty() && normal_pci_address(limits.pci_address) != normal_pci_address(device.pci_bus_id)) {
    return false;
  }
  if (!limits.tells.empty() && !best_value(limits.tells, device)) return false;
  return limits.device_regex == nullptr || re2::RE2::FullMatch(device.name, *limits.device_regex);
}

/// The limit's numbers in the value's own unit.
void set_bounds(Measurement& measurement, const Limit& limit, double unit) {
  const auto scaled = [unit](const std::optional<double>& share) {
    return share ? std::optional(*share * unit) : std::nullopt;
  };
  measurement.fail_below = scaled(limit.fail_below);
  measurement.warn_below = scaled(limit.warn_below);
  measurement.warn_above = scaled(limit.warn_above);
  measurement.fail_above = scaled(limit.fail_above);
}

Measurement unknown(Measurement measurement, std::string why) {
  measurement.verdict = "unknown";
  measurement.source = std::move(why);
  return measurement;
}

bool is_credible(const Limit& limit, double best) {
  return std::ranges::all_of(bounds, [&](const Bound& bound) {
    const std::optional<double>& number = limit.*bound.member;
    return !number || (*number >= least_credible_share * best && *number <= greatest_credible_share * best);
  });
}

}  // namespace

Limits Limits::parse(std::string_view json, const std::string& origin) {
  check_syntax(json, origin);
  const auto document = Node::Json::parse(json);
  const Node root(document, origin);
  root.require_object({"schema", "classes"});
  static_cast<void>(root.required_field("schema").one_of({"gpucheck.limits/1"}));
  Limits limits;
  for (const Node& node : root.required_field("classes").elements()) limits.classes_.push_back(read_class(node));
  return limits;
}

void Limits::override_with(Limits others) {
  std::ranges::move(classes_, std::back_inserter(others.classes_));
  classes_ = std::move(others.classes_);
}

std::vector<std::string> Limits::names_beside(std::span<const std::string> values) const {
  std::vector<std::string> names;
  for (const LimitClass& limits : classes_) {
    for (const auto& [name, _] : limits.limits) {
      const auto matches = [&name = name](const std::string& value) {
        return harness::matches_glob(name, value) || harness::matches_glob(value, name);
      };
      if (std::ranges::none_of(values, matches)) names.push_back(name);
    }
  }
  return names;
}

std::vector<Limits::Found> Limits::find(std::string_view name, const DeviceIdentity& device) const {
  std::vector<Found> found;
  for (const LimitClass& limits : classes_) {
    if (!is_of(limits, device)) continue;
    const auto limit = std::ranges::find_if(
        limits.limits, [name](const auto& named) { return harness::matches_glob(named.first, name); });
    if (limit != limits.limits.end()) found.push_back({&limits, &limit->second});
  }
  return found;
}

std::optional<std::int64_t> Limits::expectation(std::string_view name, const DeviceIdentity& device) const {
  for (const LimitClass& limits : classes_) {
    const auto found = std::ranges::find(limits.expectations, name, [](const auto& named) { return named.first; });
    if (found != limits.expectations.end() && is_of(limits, device)) return found->second;
  }
  return {};
}

bool Limits::has_expectations() const noexcept {
  return std::ranges::any_of(classes_, [](const LimitClass& limits) { return !limits.expectations.empty(); });
}

Measurement Limits::judge(std::string_view name, std::string_view key, double value,
                          const DeviceIdentity* device) const {
  Measurement measurement{.key = std::string(key), .value = value, .verdict = {}, .source = {}};
  if (device == nullptr) return unknown(std::move(measurement), "the case ran on no device");
  const std::vector<Found> found = find(name, *device);
  if (found.empty()) return unknown(std::move(measurement), fmt::format("no limit for {} is known", name));
  const Limit& limit = *found.front().limit;
  // A limit in the value's own unit has the best value of the one that it replaces.
  const auto with_best = std::ranges::find_if(found, [](const Found& each) { return !each.limit->of.empty(); });
  const std::optional<BestValue> best =
      with_best == found.end() ? std::nullopt : best_value(with_best->limit->of, *device);
  if (!limit.of.empty() && !best) {
    return unknown(std::move(measurement), fmt::format("the device does not say what its {} follows from", limit.of));
  }
  if (limit.of.empty() && best && !is_credible(limit, best->value)) {
    return unknown(
        std::move(measurement),
        fmt::format("the limit of class \"{}\" is not in the unit of {}: the device could do {:.4g} at its best",
                    found.front().owner->name, name, best->value));
  }
  if (best) measurement.best = best->value;
  set_bounds(measurement, limit, limit.of.empty() ? 1 : best->value);
  measurement.source = limit.source;
  if (!limit.of.empty())
    measurement.source += fmt::format(" ({} = {:.4g}: {})", limit.of, best->value, best->explanation);
  measurement.verdict = verdict_by_bounds(measurement);
  return measurement;
}

std::string verdict_by_bounds(const Measurement& measurement) {
  const double value = measurement.value;
  // Written so that what is not a number fails.
  const auto reaches = [value](const std::optional<double>& least) { return !least || value >= *least; };
  const auto keeps_to = [value](const std::optional<double>& most) { return !most || value <= *most; };
  if (!reaches(measurement.fail_below) || !keeps_to(measurement.fail_above) || !std::isfinite(value)) return "fail";
  return reaches(measurement.warn_below) && keeps_to(measurement.warn_above) ? "pass" : "warn";
}

std::string describe_limit(const Measurement& measurement) {
  std::string text;
  const auto add = [&](const char* word, const std::optional<double>& bound) {
    if (!bound) return;
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : " and ", word, *bound);
    if (measurement.best)
      text += fmt::format(" ({:.0f} % of {:.4g})", *bound / *measurement.best * 100, *measurement.best);
  };
  add("at least", measurement.fail_below);
  add("at most", measurement.fail_above);
  return text.empty() ? "a value with a limit" : text;
}

}  // namespace gpucheck::golden
