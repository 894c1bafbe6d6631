#include "fleet/history/history_record.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <variant>

#include "base/fnv.hpp"
#include "golden/document/node.hpp"
#include "golden/document/syntax.hpp"

namespace gpucheck::fleet {
namespace {

using golden::Node;
using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "gpucheck.history/1";

/// "2026-11-27T09:00:00Z": such texts have the order of the times that they name.
std::string time_of(const Node& node) {
  std::string text = node.string();
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  const auto fits = [](char is, char form_has) { return form_has == '0' ? is >= '0' && is <= '9' : is == form_has; };
  if (text.size() != form.size() || !std::ranges::equal(text, form, fits))
    node.reject("a time such as 2026-11-27T09:00:00Z");
  return text;
}

double positive_number(const Node& node) {
  const double value = node.floating_point();
  if (!(value > 0) || !std::isfinite(value)) node.reject("a number above zero");
  return value;
}

bool truth_of(const Node& node) {
  const harness::Value value = node.value();
  const bool* const truth = std::get_if<bool>(&value);
  if (truth == nullptr) node.reject("true or false");
  return *truth;
}

RecordedGpu gpu_of(const Node& node) {
  node.require_object({"uuid", "node", "time"});
  return {.uuid = node.required_field("uuid").non_empty_string(),
          .node = node.required_field("node").string(),
          .time = time_of(node.required_field("time"))};
}

RecordedMetric metric_of(const Node& node, std::size_t gpus) {
  node.require_object({"name", "high_is_bad", "usual", "values"});
  RecordedMetric metric{.name = node.required_field("name").non_empty_string()};
  metric.high_is_bad = truth_of(node.required_field("high_is_bad"));
  const Node usual = node.required_field("usual");
  if (!usual.is_null()) metric.usual = positive_number(usual);
  const Node values = node.required_field("values");
  for (const Node& value : values.elements_or_none()) {
    metric.values.push_back(value.is_null() ? std::nullopt : std::optional(positive_number(value)));
  }
  if (metric.values.size() != gpus) values.reject(fmt::format("one value or null for each of {} GPUs", gpus));
  return metric;
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

HistoryRecord parse_history_record(std::string_view text, const std::string& path) {
  golden::check_syntax(text, path);
  const Json document = Json::parse(text);
  const Node root(document, path);
  root.require_object({"schema", "gpus", "metrics"});
  static_cast<void>(root.required_field("schema").one_of({schema}));
  HistoryRecord record;
  for (const Node& gpu : root.required_field("gpus").elements_or_none()) record.gpus.push_back(gpu_of(gpu));
  for (const Node& metric : root.required_field("metrics").elements_or_none()) {
    record.metrics.push_back(metric_of(metric, record.gpus.size()));
  }
  return record;
}

std::string to_text(const HistoryRecord& record) {
  Json document = {{"schema", schema}, {"gpus", Json::array()}, {"metrics", Json::array()}};
  for (const RecordedGpu& gpu : record.gpus) {
    document["gpus"].push_back({{"uuid", gpu.uuid}, {"node", gpu.node}, {"time", gpu.time}});
  }
  for (const RecordedMetric& metric : record.metrics) {
    Json values = Json::array();
    for (const std::optional<double>& value : metric.values) values.push_back(or_null(value));
    document["metrics"].push_back({{"name", metric.name},
                                   {"high_is_bad", metric.high_is_bad},
                                   {"usual", or_null(metric.usual)},
                                   {"values", std::move(values)}});
  }
  // Names come from other machines, and need not be UTF-8.
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string file_name_of(const HistoryRecord& record) {
  const auto first = std::ranges::min_element(record.gpus, {}, &RecordedGpu::time);
  std::string time = first == record.gpus.end() ? "" : first->time;
  std::erase_if(time, [](char c) { return c == ':' || c == '-'; });
  return fmt::format("{}-{:016x}.history", time, fnv1a(to_text(record)));
}

}  // namespace gpucheck::fleet
