#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>
#include <vector>

#include "base/text/sanitize.hpp"
#include "base/text/utc.hpp"
#include "report/comparison_text.hpp"
#include "report/formats/entries.hpp"
#include "report/formats/junit_xml.hpp"
#include "report/merged/merged_formats.hpp"
#include "report/merged/merged_words.hpp"
#include "report/wording.hpp"

// One test case for each case on each node, its GPUs together: with all of them apart, a thousand nodes would be more
// than any reader of JUnit takes.
namespace gpucheck::report {
namespace {

using harness::Verdict;

struct NodeSuite {
  pugi::xml_node node;
  std::string class_prefix;  ///< "gpucheck.n1."
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double duration_ms = 0;
};

struct Totals {
  std::size_t tests = 0, failures = 0, errors = 0;
  double duration_ms = 0;
};

pugi::xml_node add_testcase(NodeSuite& suite, const std::string& group, const std::string& name, double duration_ms) {
  ++suite.tests;
  suite.duration_ms += duration_ms;
  pugi::xml_node testcase = suite.node.append_child("testcase");
  set(testcase, "classname", suite.class_prefix + one_line(group));
  set(testcase, "name", one_line(name));
  set(testcase, "time", junit_seconds(duration_ms));
  return testcase;
}

void add_element(pugi::xml_node testcase, const char* element, std::string_view type, const std::string& message,
                 const std::string& details) {
  pugi::xml_node node = testcase.append_child(element);
  set(node, "type", type);
  set(node, "message", one_line(message, 1000));
  add_text(node, details);
}

/// A case on one node, with the runs that hold it: one for each GPU, where each has a process of its own.
struct NodeCase {
  harness::Counts counts;
  double duration_ms = 0;
  std::vector<const fleet::KeptRun*> runs;
};

std::map<std::string, NodeCase> cases_of(const fleet::Fleet& fleet, const fleet::FleetNode& node) {
  std::map<std::string, NodeCase> cases;
  for (const std::size_t place : node.runs) {
    for (const fleet::KeptCase& kept : fleet.runs[place].cases) {
      NodeCase& one = cases[*kept.name];
      fleet::add(one.counts, kept.counts);
      one.duration_ms += kept.duration_ms;
      one.runs.push_back(&fleet.runs[place]);
    }
  }
  return cases;
}

/// What is known in detail of a case's failures on this node.
std::string details_of_case(const NodeCase& one, const std::string& name) {
  std::string text;
  for (const fleet::KeptRun* run : one.runs) {
    for (const harness::CaseResult& result : run->troubles) {
      if (result.name == name) text += place_text(result.devices) + "\n" + details_of(result) + "\n";
    }
  }
  return text.empty() ? "see " + one.runs.front()->file : text;
}

void add_case(NodeSuite& suite, const std::string& whole_name, const NodeCase& one) {
  const harness::Counts& counts = one.counts;
  const auto [group, name] = group_and_case(whole_name);
  pugi::xml_node testcase = add_testcase(suite, group, name, one.duration_ms);
  const std::string message = counts_text(counts);
  if (counts.fail + counts.crash + counts.hang > counts.waived || counts.error > 0 || counts.not_run > 0) {
    const bool failed = counts.fail > 0;
    const bool ran = failed || counts.error + counts.crash + counts.hang > 0;
    ++(failed ? suite.failures : suite.errors);
    add_element(testcase, failed ? "failure" : "error",
                failed ? "mismatch"
                : ran  ? "not-judged"
                       : "not-run",
                message, details_of_case(one, whole_name));
  } else if (counts.waived > 0) {
    ++suite.skipped;
    add_element(testcase, "skipped", "waived", message, details_of_case(one, whole_name));
  } else if (counts.pass == 0) {
    ++suite.skipped;
    set(testcase.append_child("skipped"), "message", message);
  }
}

/// The node itself: what its cases do not say, and what makes their passes none.
void add_node_case(NodeSuite& suite, const fleet::Fleet& fleet, const fleet::FleetNode& node) {
  pugi::xml_node testcase = add_testcase(suite, "node", "verdict", 0);
  if (node.verdict == Verdict::passed && node.is_expected) return;
  std::vector<std::string> reasons = reasons_of(fleet, node);
  if (!node.is_expected) reasons.emplace_back("it reported, and nobody expects it");
  const bool failed = node.verdict == Verdict::failed;
  ++(failed ? suite.failures : suite.errors);
  add_element(testcase, failed ? "failure" : "error", failed ? "failed" : "not-judged",
              reasons.empty() ? "it did not pass" : reasons.front(), fmt::format("{}", fmt::join(reasons, "\n")));
}

void finish(const NodeSuite& suite, Totals& totals) {
  set(suite.node, "tests", suite.tests);
  set(suite.node, "failures", suite.failures);
  set(suite.node, "errors", suite.errors);
  set(suite.node, "skipped", suite.skipped);
  set(suite.node, "time", junit_seconds(suite.duration_ms));
  totals.tests += suite.tests;
  totals.failures += suite.failures;
  totals.errors += suite.errors;
  totals.duration_ms += suite.duration_ms;
}

NodeSuite begin_suite(pugi::xml_node root, const std::string& name) {
  const std::string clean = one_line(name);
  NodeSuite suite{.node = root.append_child("testsuite"), .class_prefix = fmt::format("gpucheck.{}.", clean)};
  set(suite.node, "name", "gpucheck." + clean);
  return suite;
}

void add_node(pugi::xml_node root, const fleet::Fleet& fleet, const fleet::FleetNode& node, Totals& totals) {
  NodeSuite suite = begin_suite(root, node.name);
  add_node_case(suite, fleet, node);
  for (const auto& [name, one] : cases_of(fleet, node)) add_case(suite, name, one);
  finish(suite, totals);
  const fleet::KeptRun& first = fleet.runs[node.runs.front()];
  set(suite.node, "timestamp", utc_seconds(first.start.start_time));
  set(suite.node, "hostname", one_line(node.name));
}

/// What is of no node that reported.
void add_fleet(pugi::xml_node root, const fleet::Fleet& fleet, Totals& totals) {
  NodeSuite suite = begin_suite(root, "fleet");
  for (const std::string& name : fleet.missing) {
    pugi::xml_node testcase = add_testcase(suite, "nodes", name, 0);
    ++suite.errors;
    add_element(testcase, "error", "not-run", "the node did not report", "the node did not report");
  }
  const std::vector<std::string> problems = problems_of(fleet);
  pugi::xml_node files = add_testcase(suite, "files", "all nodes and files", 0);
  if (!problems.empty()) {
    ++suite.errors;
    add_element(files, "error", "not-judged", problems.front(), fmt::format("{}", fmt::join(problems, "\n")));
  }
  for (const fleet::FleetSuspect& one : fleet.suspects) {
    pugi::xml_node testcase = add_testcase(suite, one.own_past ? "drift" : "suspect", one.place, 0);
    if (!fleet::counts_against(one)) continue;
    const bool confirmed = one.second_look == fleet::SecondLook::confirmed;
    ++(confirmed ? suite.failures : suite.errors);
    add_element(testcase, confirmed ? "failure" : "error", confirmed ? "slow" : "not-judged", fleet::text_of(one),
                fleet::text_of(one));
  }
  for (const harness::Comparison& one : fleet.across.comparisons) {
    pugi::xml_node testcase = add_testcase(suite, "comparison", comparison_title(one), 0);
    if (!harness::is_failure(one)) continue;
    ++suite.failures;
    add_element(testcase, "failure", "comparison", one.reason, one_line(one.reason, 4000));
  }
  finish(suite, totals);
}

}  // namespace

std::string merged_junit(const fleet::Fleet& fleet) {
  pugi::xml_document document;
  pugi::xml_node root = begin_junit(document);
  Totals totals;
  add_fleet(root, fleet, totals);
  for (const fleet::FleetNode& node : fleet.nodes) add_node(root, fleet, node, totals);
  set(root, "tests", totals.tests);
  set(root, "failures", totals.failures);
  set(root, "errors", totals.errors);
  set(root, "time", junit_seconds(totals.duration_ms));
  return text_of(document);
}

}  // namespace gpucheck::report
