#include "fleet/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "fleet/median.hpp"
#include "golden/document/node.hpp"
#include "golden/document/syntax.hpp"

namespace gpucheck::fleet {
namespace {

using golden::Node;
using Json = nlohmann::ordered_json;

constexpr double robust_standard_deviation = 1.4826;
constexpr double warning_deviations = 3.5;
constexpr double failure_deviations = 7;
constexpr double least_warning_share = 0.03;
constexpr double least_failure_share = 0.06;
constexpr double greatest_failure_share = 0.5;

bool is_number(const Node& measurement, std::string_view name) {
  const auto bound = measurement.field(name);
  return bound && !bound->is_null();
}

/// The first of those that the case ran on.
const Node& device_of(const Node& test_case, const std::vector<Node>& devices) {
  const Node list = test_case.required_field("devices");
  const std::uint64_t index = list.elements().front().count();
  if (index >= devices.size()) list.reject("the index of one of the run's devices");
  return devices[index];
}

/// What all measurements of a run have in common.
struct RunIdentity {
  std::string host;
  std::string file;
  std::string start_time;
};

double positive(const Node& value) {
  const double number = value.floating_point();
  if (!(number > 0)) value.reject("a number above zero: what is measured on a good machine is more than nothing");
  return number;
}

void read_case(const Node& test_case, const std::vector<Node>& devices, const RunIdentity& run,
               std::vector<MeasuredValue>& values) {
  const std::vector<Node> measurements = test_case.required_field("measurements").elements_or_none();
  if (test_case.required_field("outcome").string() != "pass" || measurements.empty()) return;
  const Node& device = device_of(test_case, devices);
  const auto repetition = test_case.field("repetition");
  for (const Node& measurement : measurements) {
    values.push_back({.device = device.required_field("name").non_empty_string(),
                      .uuid = device.required_field("uuid").string(),
                      .host = run.host,
                      .file = run.file,
                      .start_time = run.start_time,
                      .repetition = repetition ? repetition->count() : 0,
                      .name = fmt::format("{}.{}", test_case.required_field("name").non_empty_string(),
                                          measurement.required_field("key").non_empty_string()),
                      .value = positive(measurement.required_field("value")),
                      .is_least = is_number(measurement, "fail_below"),
                      .is_most = is_number(measurement, "fail_above")});
  }
}

void read_run(const Node& run, const std::string& path, std::vector<MeasuredValue>& values) {
  const auto start_time = run.field("start_time");
  const RunIdentity identity{.host = run.required_field("host_name").string(),
                             .file = path,
                             .start_time = start_time ? start_time->string() : ""};
  const std::vector<Node> devices = run.required_field("devices").elements_or_none();
  for (const Node& test_case : run.required_field("cases").elements_or_none()) {
    read_case(test_case, devices, identity, values);
  }
}

/// The values of one name on one model.
struct Group {
  std::vector<double> values;
  std::set<std::string> devices;
  std::set<std::string> hosts;
  bool is_least = false;
  bool is_most = false;
};
using GroupKey = std::pair<std::string, std::string>;  // model, name

std::map<GroupKey, Group> groups_of(const std::vector<MeasuredValue>& values) {
  std::map<GroupKey, Group> groups;
  for (const MeasuredValue& value : values) {
    Group& group = groups[{value.device, value.name}];
    group.values.push_back(value.value);
    group.devices.insert(value.uuid);
    group.hosts.insert(value.host);
    group.is_least = group.is_least || value.is_least;
    group.is_most = group.is_most || value.is_most;
  }
  return groups;
}

/// What can be said of a number that was measured a few times.
double rounded(double value) {
  if (value == 0) return 0;
  const double scale = std::pow(10, 5 - std::ceil(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

/// How far from the median a value is warned of, and fails.
struct Bounds {
  double warning;
  double failure;
};

Bounds bounds_of(const RobustSummary& summary) {
  const double deviation = robust_standard_deviation * summary.median_deviation;
  return {.warning = std::max(warning_deviations * deviation, least_warning_share * summary.median),
          .failure = std::max(failure_deviations * deviation, least_failure_share * summary.median)};
}

/// Why no limit follows from them; empty where one does.
std::string why_no_limit(const Group& group, const BaselineOptions& options) {
  if (group.values.size() < options.minimum_count) {
    return fmt::format("{} measured, {} needed", group.values.size(), options.minimum_count);
  }
  const RobustSummary summary = summarise(group.values);
  if (bounds_of(summary).failure <= greatest_failure_share * summary.median) return {};
  return fmt::format(
      "the values spread too far: a limit that allows for median {:.5g} and median deviation {:.3g} would "
      "let everything pass; look for what differs between these machines",
      summary.median, summary.median_deviation);
}

Json limit_from(const Group& group) {
  const RobustSummary summary = summarise(group.values);
  const auto [warning, failure] = bounds_of(summary);
  Json limit = Json::object();
  if (group.is_least) {
    limit["fail_below"] = rounded(summary.median - failure);
    limit["warn_below"] = rounded(summary.median - warning);
  }
  if (group.is_most) {
    limit["warn_above"] = rounded(summary.median + warning);
    limit["fail_above"] = rounded(summary.median + failure);
  }
  limit["source"] =
      fmt::format("median {:.5g}, median deviation {:.3g}, of {} measurements on {} devices of {} hosts",
                  summary.median, summary.median_deviation, summary.count, group.devices.size(), group.hosts.size());
  return limit;
}

/// A regular expression that only this text matches.
std::string exactly(std::string_view text) {
  std::string pattern;
  for (const char letter : text) {
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(letter) != std::string_view::npos) pattern += '\\';
    pattern += letter;
  }
  return pattern;
}

}  // namespace

RobustSummary summarise(std::vector<double> values) {
  if (values.empty()) return {};
  RobustSummary summary{.median = median(values), .median_deviation = 0, .count = values.size()};
  for (double& value : values) value = std::fabs(value - summary.median);
  summary.median_deviation = median(values);
  return summary;
}

std::vector<MeasuredValue> measured_values(std::string_view text, const std::string& path) {
  golden::check_syntax(text, path);
  const Node::Json document = Node::Json::parse(text);
  const Node root(document, path);
  if (!root.is_object()) root.reject("an object: the file that gpucheck run --json writes");
  std::vector<MeasuredValue> values;
  if (root.required_field("schema").one_of({"gpucheck.result/1", "gpucheck.fleet/1"}) == "gpucheck.result/1") {
    read_run(root, path, values);
  } else {
    for (const Node& run : root.required_field("runs").elements()) read_run(run, path, values);
  }
  return values;
}

void check_measured_once(const std::vector<MeasuredValue>& values) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::uint64_t>, const MeasuredValue*> told;
  for (const MeasuredValue& value : values) {
    const auto [first, is_new] =
        told.try_emplace({value.host, value.start_time, value.uuid, value.name, value.repetition}, &value);
    if (is_new) continue;
    throw UsageError(
        fmt::format("{} and {} hold the same measurement of {} (host {}, {}, run of {}): each result "
                    "counts once; give each file once",
                    first->second->file, value.file, value.name, value.host, value.uuid, value.start_time));
  }
}

Baseline make_baseline(const std::vector<MeasuredValue>& values, const BaselineOptions& options) {
  Baseline baseline;
  std::map<std::string, Json> limits;  // by model
  for (const auto& [key, group] : groups_of(values)) {
    const auto& [model, name] = key;
    if (const std::string why = why_no_limit(group, options); !why.empty()) {
      baseline.left_out.push_back(fmt::format("{} on {}: {}", name, model, why));
    } else {
      limits[model][name] = limit_from(group);
    }
  }
  if (limits.empty()) {
    throw EnvironmentError(fmt::format(
        "no limit can be made: {}", baseline.left_out.empty() ? "no case that passed has a measured value with a limit"
                                                              : baseline.left_out.front()));
  }
  Json document = {{"schema", "gpucheck.limits/1"}, {"classes", Json::array()}};
  for (auto& [model, limit] : limits) {
    document["classes"].push_back({{"name", model}, {"device", exactly(model)}, {"limits", std::move(limit)}});
  }
  baseline.limits = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return baseline;
}

}  // namespace gpucheck::fleet
