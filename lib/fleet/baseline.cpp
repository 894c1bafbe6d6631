#include "fleet/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "golden/node.hpp"
#include "golden/syntax.hpp"

namespace gpucheck::fleet {
namespace {

using golden::Node;
using Json = nlohmann::ordered_json;

constexpr double robust_standard_deviation = 1.4826;
constexpr double warning_deviations = 3.5;
constexpr double failure_deviations = 7;
constexpr double least_warning_share = 0.03;
constexpr double least_failure_share = 0.06;

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

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

void read_case(const Node& test_case, const std::vector<Node>& devices, const std::string& host,
               std::vector<MeasuredValue>& values) {
  const std::vector<Node> measurements = test_case.required_field("measurements").elements_or_none();
  if (test_case.required_field("outcome").string() != "pass" || measurements.empty()) return;
  const Node& device = device_of(test_case, devices);
  for (const Node& measurement : measurements) {
    values.push_back({.device = device.required_field("name").non_empty_string(),
                      .uuid = device.required_field("uuid").string(),
                      .host = host,
                      .name = fmt::format("{}.{}", test_case.required_field("name").non_empty_string(),
                                          measurement.required_field("key").non_empty_string()),
                      .value = measurement.required_field("value").floating_point(),
                      .is_least = is_number(measurement, "fail_below"),
                      .is_most = is_number(measurement, "fail_above")});
  }
}

void read_run(const Node& run, std::vector<MeasuredValue>& values) {
  const std::string host = run.required_field("host_name").string();
  const std::vector<Node> devices = run.required_field("devices").elements_or_none();
  for (const Node& test_case : run.required_field("cases").elements_or_none()) {
    read_case(test_case, devices, host, values);
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

/// What can be told of a number that was measured a few times.
double rounded(double value) {
  if (value == 0) return 0;
  const double scale = std::pow(10, 5 - std::ceil(std::log10(std::fabs(value))));
  return std::round(value * scale) / scale;
}

Json limit_from(const Group& group) {
  const RobustSummary summary = summarise(group.values);
  const double deviation = robust_standard_deviation * summary.median_deviation;
  const double warning = std::max(warning_deviations * deviation, least_warning_share * std::fabs(summary.median));
  const double failure = std::max(failure_deviations * deviation, least_failure_share * std::fabs(summary.median));
  Json limit = Json::object();
  if (group.is_least) {
    limit["fail_below"] = std::max(rounded(summary.median - failure), 0.0);
    limit["warn_below"] = std::max(rounded(summary.median - warning), 0.0);
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
  RobustSummary summary{.median = median_of(values), .median_deviation = 0, .count = values.size()};
  for (double& value : values) value = std::fabs(value - summary.median);
  summary.median_deviation = median_of(values);
  return summary;
}

std::vector<MeasuredValue> measured_values(std::string_view text, const std::string& path) {
  golden::check_syntax(text, path);
  const Node::Json document = Node::Json::parse(text);
  const Node root(document, path);
  if (!root.is_object()) root.reject("an object: the file that gpucheck run --json writes");
  std::vector<MeasuredValue> values;
  if (root.required_field("schema").one_of({"gpucheck.result/1", "gpucheck.fleet/1"}) == "gpucheck.result/1") {
    read_run(root, values);
  } else {
    for (const Node& run : root.required_field("runs").elements()) read_run(run, values);
  }
  return values;
}

Baseline make_baseline(const std::vector<MeasuredValue>& values, const BaselineOptions& options) {
  Baseline baseline;
  std::map<std::string, Json> limits;  // by model
  for (const auto& [key, group] : groups_of(values)) {
    const auto& [model, name] = key;
    if (group.values.size() < options.minimum_count) {
      baseline.left_out.push_back(
          fmt::format("{} on {}: {} measured, {} needed", name, model, group.values.size(), options.minimum_count));
    } else {
      limits[model][name] = limit_from(group);
    }
  }
  if (limits.empty()) {
    throw EnvironmentError(fmt::format("no limit can be made: {}",
                                       baseline.left_out.empty()
                                           ? "no case that passed has a measured value with a limit"
                                           : fmt::format("too few measurements ({})", baseline.left_out.front())));
  }
  Json document = {{"schema", "gpucheck.limits/1"}, {"classes", Json::array()}};
  for (auto& [model, limit] : limits) {
    document["classes"].push_back({{"name", model}, {"device", exactly(model)}, {"limits", std::move(limit)}});
  }
  baseline.limits = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return baseline;
}

}  // namespace gpucheck::fleet
