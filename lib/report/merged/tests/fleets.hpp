#pragma once

#include <memory>
#include <string>

#include "fleet/nodes/tests/runs_of_nodes.hpp"
#include "report/merged/merged_formats.hpp"

/// Fleets, made by hand, that reports are made of.
namespace gpucheck::report {

inline std::string merged_as(const char* format, const fleet::Fleet& fleet) {
  return find_merged_format(format)->write(fleet);
}

inline fleet::NodeOfTests passing(const std::string& name) { return {.name = name, .uuids = {"GPU-" + name}}; }

inline fleet::NodeOfTests failing(const std::string& name) {
  fleet::NodeOfTests node = passing(name);
  node.results.push_back(fleet::result_of("memtest.modulo_20", harness::Outcome::fail));
  node.results.back().mismatches.front().failure = "GC2001";
  node.results.back().reason = "wrong bits";
  return node;
}

/// It has something of everything: a node that passed, one that failed, one whose journal ends early and that ran on
/// another driver, one that nobody expects, two that did not report, and a file that is none.
inline fleet::Fleet odd_fleet() {
  fleet::NodeOfTests early = passing("n3");
  early.incomplete = "killed";
  early.exit_code = 3;
  early.driver = "570.1";
  early.not_run = {{.name = "rng.late", .devices = {0}}};
  return fleet::judged({passing("n1"), failing("n2"), early, passing("x")}, "n[1-5]",
                       {{"folder/readme.journal", "this is not a journal"}});
}

/// Twelve nodes with a GPU each, of which the last is a tenth slower, and measured again or not.
inline fleet::Fleet fleet_with_suspect(double second_speed) {
  const auto texts = std::make_shared<fleet::SharedTexts>();
  fleet::FleetJudge judge(texts);
  const auto measured = [](const std::string& name, double speed) {
    fleet::NodeOfTests node = passing(name);
    node.results.front().measurements = {
        {.key = "gbps", .value = speed, .verdict = "pass", .fail_below = 1, .source = "vendor"}};
    return node;
  };
  for (int i = 10; i < 22; ++i) judge.add(fleet::kept(measured("n" + std::to_string(i), i < 21 ? 1000 : 900), *texts));
  if (second_speed > 0) judge.add_again(fleet::kept(measured("n21", second_speed), *texts));
  return judge.judge({.expected = {.count = 12}});
}

}  // namespace gpucheck::report
