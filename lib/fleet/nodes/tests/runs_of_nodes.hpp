#pragma once

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/nodes/fleet.hpp"
#include "fleet/nodes/kept_run.hpp"

/// Runs of nodes, made by hand.
namespace gpucheck::fleet {

inline harness::CaseResult result_of(const std::string& name, harness::Outcome outcome,
                                     std::vector<int> devices = {0}) {
  harness::CaseResult result;
  result.name = name;
  result.outcome = outcome;
  result.devices = std::move(devices);
  result.duration_ms = 10;
  if (outcome == harness::Outcome::fail) result.mismatches = {{"key", "1", "2", "math"}};
  return result;
}

/// A node with one GPU, unless more UUIDs are given.
struct NodeOfTests {
  std::string name = "n1";
  std::vector<std::string> uuids = {"GPU-1"};
  std::vector<harness::CaseResult> results = {result_of("alloc.fuzz", harness::Outcome::pass)};
  std::vector<harness::SelectedCase> not_run = {};
  std::string file = {};  ///< by default the node's name with ".journal"
  std::string version = "1.0";
  std::string driver = "580.95";
  std::string golden_digest = "0123456789abcdef";
  int exit_code = -1;  ///< -1: as the results have it
  std::string incomplete = {};
  std::optional<harness::Job> job = {};
  std::vector<harness::SiteCase> site_cases = {};
  std::chrono::system_clock::time_point start_time = {};
};

/// A node whose GPUs write memory with the given speeds, and answer in a time that goes with that.
inline NodeOfTests node_with_speeds(const std::string& name, const std::vector<double>& speeds) {
  NodeOfTests node{.name = name, .uuids = {}, .results = {}};
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    node.uuids.push_back(fmt::format("GPU-{}-{}", name, i));
    harness::CaseResult& result =
        node.results.emplace_back(result_of("bandwidth.device_write", harness::Outcome::pass, {static_cast<int>(i)}));
    result.measurements = {
        {.key = "write_gbps", .value = speeds[i], .verdict = "pass", .fail_below = 1000, .source = "vendor"},
        {.key = "latency_us", .value = 1e6 / speeds[i], .verdict = "pass", .fail_above = 9999, .source = "vendor"}};
  }
  return node;
}

inline harness::RunStarted start_of(const NodeOfTests& node) {
  harness::RunStarted start;
  start.version = node.version;
  start.host_name = node.name;
  start.job = node.job;
  start.site_cases = node.site_cases;
  start.start_time = node.start_time;
  start.golden_digest = node.golden_digest;
  for (const std::string& uuid : node.uuids) {
    harness::DeviceIdentity& device = start.devices.emplace_back();
    device.index = static_cast<int>(start.devices.size()) - 1;
    device.kind = "cuda";
    device.ordinal = device.index;
    device.name = "NVIDIA H100";
    device.uuid = uuid;
    device.driver_version = node.driver;
  }
  for (const harness::CaseResult& result : node.results) start.selected.push_back(harness::selected_case(result));
  start.selected.insert(start.selected.end(), node.not_run.begin(), node.not_run.end());
  start.total = start.selected.size();
  return start;
}

inline KeptRun kept(const NodeOfTests& node, SharedTexts& texts, const Waivers& waivers = {}) {
  RunKeeper keeper(node.file.empty() ? node.name + ".journal" : node.file, waivers, texts);
  keeper.on(start_of(node));
  harness::RunFinished end;
  for (const harness::CaseResult& result : node.results) {
    keeper.on(harness::CaseFinished{.result = result});
    end.counts.add(result);
  }
  end.not_run = node.not_run;
  end.counts.not_run = static_cast<std::int64_t>(node.not_run.size());
  end.incomplete = node.incomplete;
  const bool bad = end.counts.fail + end.counts.crash + end.counts.hang > 0;
  end.exit_code = node.exit_code >= 0 ? node.exit_code : bad ? 1 : 0;
  keeper.on(std::move(end));
  return keeper.take(false);
}

inline Fleet judged(const std::vector<NodeOfTests>& nodes, const std::string& expected,
                    const std::vector<FileProblem>& problems = {}) {
  const auto texts = std::make_shared<SharedTexts>();
  FleetJudge judge(texts);
  for (const NodeOfTests& node : nodes) judge.add(kept(node, *texts));
  for (const FileProblem& problem : problems) judge.add(problem);
  return judge.judge({.expected = parse_expected_nodes(expected)});
}

}  // namespace gpucheck::fleet
