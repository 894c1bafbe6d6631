#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <utility>

#include "base/text/sanitize.hpp"
#include "base/text/utc.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/run/json.hpp"
#include "report/comparison_text.hpp"
#include "report/formats/entries.hpp"
#include "report/formats/junit_xml.hpp"
#include "report/mismatch_table.hpp"
#include "report/result_order.hpp"
#include "report/run_set.hpp"
#include "report/wording.hpp"

// Keeps to what Jenkins (junit and xunit plugins), GitLab and the GitHub reporters all
// read: no nesting of suites, properties on suites only, times in plain seconds.
namespace gpucheck::report {
namespace {

using harness::CaseResult;
using harness::Outcome;
using harness::SelectedCase;

// GitLab takes 30 MB a file: 250 cases with both streams at their limit stay below.
constexpr std::size_t junit_output_head_bytes = 8 * 1024;
constexpr std::size_t junit_output_tail_bytes = 24 * 1024;
constexpr std::size_t details_width = 100;

// As pytest writes an expected failure: not red for those who read the file, and yet
// neither a pass nor out of sight.
void add_waived(pugi::xml_node testcase, const CaseResult& result) {
  pugi::xml_node node = testcase.append_child("skipped");
  set(node, "type", "waived");
  set(node, "message",
      fmt::format("{}; {}: {}", waiver_text(*result.waiver), harness::to_text(result.outcome), cause(result)));
  add_text(node, details_of(result));
}

// Who judged decides the element: a failure is the device's, an error is ours.
void add_verdict(pugi::xml_node testcase, const CaseResult& result) {
  if (result.outcome == Outcome::pass) return;
  if (result.waiver) return add_waived(testcase, result);
  const bool skipped = result.outcome == Outcome::skip;
  const bool failed = result.outcome == Outcome::fail;
  pugi::xml_node node = testcase.append_child(skipped ? "skipped" : failed ? "failure" : "error");
  if (!skipped) set(node, "type", failed ? "mismatch" : harness::to_text(result.outcome));
  set(node, "message", cause(result));
  if (!skipped) add_text(node, details_of(result));
}

/// Attempts before the last one: flaky when the last one passed.
void add_attempts(pugi::xml_node testcase, const CaseResult& result) {
  const bool passed = result.outcome == Outcome::pass;
  for (std::size_t i = 0; i < result.earlier_attempts.size(); ++i) {
    const harness::Attempt& attempt = result.earlier_attempts[i];
    pugi::xml_node node = testcase.append_child(passed ? "flakyFailure" : "rerunFailure");
    set(node, "type", attempt.outcome == Outcome::fail ? "mismatch" : harness::to_text(attempt.outcome));
    const std::string reason = one_line(attempt.reason);
    set(node, "message", fmt::format("attempt {}: {}", i + 1, reason));
    add_text(node.append_child("stackTrace"),
             fmt::format("attempt {}: {} after {}: {}", i + 1, harness::to_text(attempt.outcome),
                         format_duration(attempt.duration_ms), reason));
  }
}

/// A pass has no element of its own that could say what it was warned of.
std::string warning_lines(const CaseResult& result) {
  std::string text;
  for (const std::string& line : mismatch_table(result.warnings, details_width)) text += line + "\n";
  for (const harness::FailureKind* kind : harness::warned_of(result))
    text += "warning: " + next_step_text(*kind) + "\n";
  return text;
}

void add_output(pugi::xml_node testcase, const CaseResult& result) {
  std::string text = warning_lines(result);
  const bool with_output = result.outcome != Outcome::pass && result.outcome != Outcome::skip;
  for (const auto& [stream, raw] :
       {std::pair("stdout", &result.output_tail), std::pair("stderr", &result.error_tail)}) {
    if (raw->empty() || !with_output) continue;
    text +=
        fmt::format("{}:\n{}", stream, clean_text(cut_middle(*raw, junit_output_head_bytes, junit_output_tail_bytes)));
    if (!text.ends_with('\n')) text += '\n';
  }
  if (!text.empty()) add_text(testcase.append_child("system-out"), text);
}

/// One suite per group of cases, and what its attributes count.
struct Suite {
  pugi::xml_node node;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double duration_ms = 0;

  void count(Outcome outcome, bool waived) {
    ++tests;
    if (waived) outcome = Outcome::skip;
    if (outcome == Outcome::fail) ++failures;
    if (outcome == Outcome::skip) ++skipped;
    if (outcome == Outcome::error || outcome == Outcome::crash || outcome == Outcome::hang) ++errors;
  }
};

void set_counts(const Suite& suite) {
  set(suite.node, "tests", suite.tests);
  set(suite.node, "failures", suite.failures);
  set(suite.node, "errors", suite.errors);
}

/// The suites of one run, built case by case.
class RunSuites {
 public:
  /// @param label stands in every class name; empty for none.
  RunSuites(pugi::xml_node root, const harness::RunStarted& start, const std::string& label)
      : root_(root), start_(start), prefix_(label.empty() ? "gpucheck." : "gpucheck." + one_line(label) + ".") {}

  void add(const CaseResult& result) {
    Suite& suite = suite_of(selected_case(result));
    suite.count(result.outcome, result.waiver.has_value());
    suite.duration_ms += std::max(result.duration_ms, 0.0);
    pugi::xml_node testcase = add_testcase(suite, result);
    set(testcase, "time", junit_seconds(result.duration_ms));
    add_verdict(testcase, result);
    add_attempts(testcase, result);
    add_output(testcase, result);
  }

  /// GPUs of one model compared with each other: a case of its own, of no device.
  void add_comparison(const harness::Comparison& comparison, const DeviceName& name_of) {
    Suite& suite = suite_of({.name = "comparison"});
    const bool failed = harness::is_failure(comparison);
    const bool waived = comparison.verdict == "fail" && !failed;
    suite.count(failed ? Outcome::fail : Outcome::pass, waived);
    pugi::xml_node testcase = add_named(suite, prefix_ + "comparison", comparison_title(comparison));
    set(testcase, "time", junit_seconds(0));
    const std::vector<std::string> details = comparison_details(comparison, name_of);
    const std::string text = fmt::format("{}\n{}", one_line(comparison.reason, 4000), fmt::join(details, "\n"));
    if (!failed && !waived) {
      if (comparison.verdict == "warn") add_text(testcase.append_child("system-out"), "warning: " + text);
      return;
    }
    pugi::xml_node node = testcase.append_child(waived ? "skipped" : "failure");
    set(node, "type", waived ? "waived" : "comparison");
    set(node, "message", one_line(comparison.reason, 4000));
    add_text(node, text);
  }

  /// A case that the run never finished; an absent one would read as "no such test".
  void add_not_run(const SelectedCase& selected, const std::string& reason) {
    CaseResult result;
    result.name = selected.name;
    result.devices = selected.devices;
    result.repetition = selected.repetition;
    Suite& suite = suite_of(selected);
    suite.count(Outcome::error, false);
    pugi::xml_node testcase = add_testcase(suite, result);
    set(testcase, "time", junit_seconds(0));
    pugi::xml_node error = testcase.append_child("error");
    set(error, "type", "not-run");
    set(error, "message", reason);
    add_text(error, reason);
  }

  /// Sets what the suites count, and adds it to `all`.
  void finish(Suite& all) {
    // Where there are no results the properties have no other place.
    if (suites_.empty() && start_.configuration) suite_of({.name = "run"});
    for (auto& [group, suite] : suites_) {
      set_counts(suite);
      set(suite.node, "skipped", suite.skipped);
      set(suite.node, "time", junit_seconds(suite.duration_ms));
      set(suite.node, "timestamp", utc_seconds(start_.start_time));
      set(suite.node, "hostname", one_line(start_.host_name));
      all.tests += suite.tests;
      all.failures += suite.failures;
      all.errors += suite.errors;
    }
  }

 private:
  Suite& suite_of(const SelectedCase& selected) {
    const auto [found, is_new] = suites_.try_emplace({group_and_case(selected.name).first, selected.devices});
    if (is_new) {
      found->second.node = root_.append_child("testsuite");
      set(found->second.node, "name", class_name(selected));
      add_properties(found->second.node, selected.devices);
    }
    return found->second;
  }

  /// "gpucheck.device0.alloc". The index and not the UUID: a node that gets another GPU
  /// keeps the history of its tests.
  [[nodiscard]] std::string class_name(const SelectedCase& selected) const {
    const std::string place =
        selected.devices.empty() ? "" : fmt::format("device{}.", fmt::join(selected.devices, "-"));
    return prefix_ + place + one_line(group_and_case(selected.name).first);
  }

  // Consumers keep only the first of several cases with one name, so a name that is
  // taken moves on to the next repetition's.
  pugi::xml_node add_testcase(const Suite& suite, CaseResult result) {
    const std::string name = class_name(selected_case(result));
    while (!names_.insert(name + display_name(result)).second) ++result.repetition;
    pugi::xml_node testcase = suite.node;
    testcase = testcase.append_child("testcase");
    set(testcase, "classname", name);
    set(testcase, "name", group_and_case(display_name(result)).second);
    return testcase;
  }

  /// Likewise of what has no repetition: "#2" for the second one of a name.
  pugi::xml_node add_named(const Suite& suite, const std::string& class_name, const std::string& name) {
    std::string free = name;
    for (int i = 2; !names_.insert(class_name + free).second; ++i) free = fmt::format("{}#{}", name, i);
    pugi::xml_node testcase = suite.node;
    testcase = testcase.append_child("testcase");
    set(testcase, "classname", class_name);
    set(testcase, "name", free);
    return testcase;
  }

  static void add_property(pugi::xml_node properties, const std::string& name, const std::string& value) {
    if (value.empty()) return;
    pugi::xml_node property = properties.append_child("property");
    set(property, "name", name);
    set(property, "value", one_line(value, 4000));
  }

  /// Each member of the document's object, those that say nothing left out.
  static void add_properties(pugi::xml_node properties, const std::string& prefix,
                             const nlohmann::ordered_json& object) {
    for (const auto& [name, value] : object.items()) {
      if (value.is_null() || (value.is_structured() && value.empty())) continue;
      add_property(properties, prefix + name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }

  void add_properties(pugi::xml_node suite, const std::vector<int>& devices) const {
    pugi::xml_node properties = suite.append_child("properties");
    add_property(properties, "version", start_.version);
    add_property(properties, "command_line", fmt::format("{}", fmt::join(start_.command_line, " ")));
    if (start_.configuration) add_property(properties, "config", configuration_text(*start_.configuration));
    if (start_.job) add_properties(properties, "job.", harness::to_json(*start_.job));
    add_properties(properties, "", harness::to_json(start_.settings));
    for (const int index : devices) {
      const auto known = std::ranges::find(start_.devices, index, &harness::DeviceIdentity::index);
      if (known == start_.devices.end()) continue;
      const std::string prefix = devices.size() == 1 ? "device." : fmt::format("device{}.", index);
      add_properties(properties, prefix, harness::to_json(*known));
    }
  }

  pugi::xml_node root_;
  const harness::RunStarted& start_;
  std::string prefix_;
  std::map<std::pair<std::string, std::vector<int>>, Suite> suites_;  ///< by group and devices
  std::set<std::string> names_;
};

}  // namespace

std::string fleet_junit_document(std::vector<fleet::RunRecord> runs, const std::vector<std::string>& labels,
                                 const fleet::AcrossRuns& across) {
  pugi::xml_document document;
  Suite all;
  all.node = begin_junit(document);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    fleet::RunRecord& run = runs[i];
    sort_as_selected(run.results, run.start.selected);
    RunSuites suites(all.node, run.start, labels[i]);
    for (const CaseResult& result : run.results) suites.add(result);
    for (const harness::Comparison& one : run.end.comparisons) suites.add_comparison(one, plain_device_name);
    for (const NotRun& one : not_run_of(run.end)) suites.add_not_run(one.selected, one.reason);
    suites.finish(all);
    all.duration_ms += run.end.duration_ms;
  }
  if (!across.comparisons.empty()) {
    harness::RunStarted of_all;
    of_all.version = runs.front().start.version;
    of_all.start_time = runs.front().start.start_time;
    RunSuites suites(all.node, of_all, "fleet");
    for (const harness::Comparison& one : across.comparisons) suites.add_comparison(one, names_in(across));
    suites.finish(all);
  }
  set_counts(all);
  set(all.node, "time", junit_seconds(all.duration_ms));
  return text_of(document);
}

std::string junit_document(fleet::RunRecord run) {
  std::vector<fleet::RunRecord> runs;
  runs.push_back(std::move(run));
  return fleet_junit_document(std::move(runs), {""});
}

std::string junit_report(RunSet set) {
  if (set.is_one_run()) return junit_document(std::move(set.runs.front()));
  return fleet_junit_document(std::move(set.runs), set.labels, set.across);
}

}  // namespace gpucheck::report
