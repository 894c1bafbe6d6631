// Whole summaries of two runs of which everything that a summary can say is said once.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/result/failure_kinds.hpp"
#include "report/wording.hpp"
#include "small_run.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using nlohmann::json;

/// A run that was killed: a pass with a warning, a flaky pass, a skip, a case that never ran.
fleet::RunRecord killed_run() {
  fleet::RunRecord run;
  run.start.host_name = "host2";
  run.start.version = "1.2.4";
  run.start.configuration.emplace();
  run.start.configuration->path = "/site/gpucheck.toml";
  run.results.push_back(reasoned_result("b.warned", Outcome::pass));
  run.results[0].warnings = {{"mode", "on", "off", "vendor", "GC1003"}};
  run.results[0].output_tail = "not shown for a pass";
  run.results.push_back(reasoned_result("b.flaky", Outcome::pass));
  run.results[1].flaky = true;
  run.results[1].earlier_attempts = {{Outcome::fail, "once", 3}, {Outcome::skip, "then", 0.4}};
  run.results.push_back(reasoned_result("b.skipped", Outcome::skip, "needs 2 devices"));
  run.results.push_back(reasoned_result("b.failed", Outcome::crash, "gone"));
  run.results[3].output_tail = "one\n\nthree";
  run.results[3].error_tail = "complaint\n";
  run.results[3].duration_ms = -1;
  run.end.counts = {.pass = 2, .crash = 1, .skip = 1, .flaky = 1, .not_run = 1};
  run.end.not_run = {{.name = "b.never", .devices = {0}}};
  run.end.incomplete = "killed";
  run.end.exit_code = 3;
  return run;
}

/// Both, and what their GPUs differ in.
RunSet two_runs() {
  RunSet set{.runs = {small_run(), killed_run()}, .labels = {"node1", "node2"}, .exit_code = 1};
  for (const char* host : {"node1", "node2"}) {
    fleet::Subject& subject = set.across.subjects.emplace_back();
    subject.host = host;
    subject.device.uuid = "GPU-" + std::string(host);
  }
  harness::Comparison& comparison = set.across.comparisons.emplace_back();
  comparison.case_name = "gemm.bf16";
  comparison.key = "digest";
  comparison.model = "H100";
  comparison.verdict = "fail";
  comparison.reason = "node2 differs";
  comparison.values = {{.device = 0, .value = "aa", .verdict = "pass"},
                       {.device = 1, .value = "bb", .verdict = "fail"}};
  return set;
}

std::string advice_on(std::string_view code) { return next_step_text(*harness::find_failure_kind(code)); }
std::string advice_on(const harness::CaseResult& result) {
  return next_step_text(*harness::failures_of(result).front());
}

// What the summaries have below their entries.
const std::string bad_table = "key     expected  seen  basis\nerrors  0         3     vendor\n";
const std::string warned_table = "key   expected  seen  basis\nmode  on        off   vendor\n";
const std::string difference = "node2 differs\nnode1 GPU-node1: \"aa\", node2 GPU-node2: \"bb\"";

std::string bad_details() { return "errors: expected 0, seen 3, or 100%\n" + bad_table + advice_on("GC2001"); }
std::string late_details() {
  return "waived by node team until 2026-12-31: known\nnot finished\n" + advice_on(small_run().results[2]);
}
std::string crash_details() { return "gone\n" + advice_on(killed_run().results[3]) + "\nstderr:\ncomplaint"; }
std::string warned_details() { return warned_table + advice_on("GC1003"); }

std::string markdown_entry(const std::string& head, const std::string& message, const std::string& details) {
  return "<details><summary>" + head + ": <code>" + message + "</code></summary>\n\n```text\n" + details +
         "\n```\n\n</details>\n\n";
}

TEST(MarkdownReport, OfTwoRunsIsThisText) {
  EXPECT_EQ(
      written("markdown", two_runs()),
      "## gpucheck: FAILED\n\n"
      "2 runs: 3 passed (1 flaky), 1 failed, 1 crashed, 1 hung, 1 skipped, 1 not run (1 waived), 1 comparison "
      "failed\n\n"
      "### `node1`\n\n"
      "FAILED `1 passed, 1 failed, 1 hung (1 waived); 1.5 s on H100 (sim:0), seed 7, gpucheck 1.2.3`, started "
      "2026-08-22T10:00:00 UTC on `node1`\n\n"
      "| | Device | UUID and PCI address | Verdict | Results | Next step |\n|---|---|---|---|---|---|\n"
      "| device 0 | <code>H100 &#40;sim:0&#41;</code> | <code>GPU-1 0000:01:00.0</code> | **FAILED** | 1 passed, 1 "
      "failed, 1 hung (1 waived) | replace (GC2001 memory_mismatch) |\n\n"
      "### `node2`\n\n"
      "NOT JUDGED `2 passed (1 flaky), 1 crashed, 1 skipped, 1 not run; 0.0 ms on no device, seed 0, gpucheck 1.2.4`, "
      "started 1970-01-01T00:00:00 UTC on `host2`\n\n"
      "`config /site/gpucheck.toml: it changes nothing`\n\n"
      "**Incomplete:** `killed`\n\n"
      "### Failed (3)\n\n" +
          markdown_entry("fail <code>a.bad</code> on device 0 of <code>node1</code>",
                         "errors: expected 0, seen 3, or 100&#37;", bad_details()) +
          markdown_entry("crash <code>b.failed</code> on device 0 of <code>node2</code>", "gone", crash_details()) +
          markdown_entry("comparison <code>gemm.bf16.digest of H100</code>", "node2 differs", difference) +
          "### Not judged (1)\n\n" +
          markdown_entry("not run <code>b.never</code> on device 0 of <code>node2</code>",
                         "the run ended before this case&#59; killed", "the run ended before this case; killed") +
          "### Waived (1)\n\n" +
          markdown_entry("hang <code>a.late</code> on device 0 of <code>node1</code>",
                         "waived by node team until 2026-12-31: known&#59; hang: not finished", late_details()) +
          "### Passed with a warning (1)\n\n" +
          markdown_entry("pass <code>b.warned</code> on device 0 of <code>node2</code>", "mode", warned_details()));
}

/// As a workflow command takes it.
std::string one_command(const std::string& level, const std::string& title, const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    escaped += letter == '\n' ? "%0A" : letter == '%' ? "%25" : std::string(1, letter);
  }
  return "::" + level + " title=" + title + "::" + escaped + "\n";
}

TEST(GithubReport, OfTwoRunsIsThisText) {
  EXPECT_EQ(written("github", two_runs()),
            one_command("error", "gpucheck%3A FAILED",
                        "node1: 1 passed, 1 failed, 1 hung (1 waived); 1.5 s on H100 (sim:0), seed 7, gpucheck 1.2.3\n"
                        "node2: 2 passed (1 flaky), 1 crashed, 1 skipped, 1 not run; 0.0 ms on no device, seed 0, "
                        "gpucheck 1.2.4\nconfig /site/gpucheck.toml: it changes nothing\nkilled") +
                one_command("error", "gpucheck not run%3A b.never on device 0 on node2",
                            "the run ended before this case; killed") +
                one_command("error", "gpucheck fail%3A a.bad on device 0 on node1", bad_details()) +
                one_command("error", "gpucheck crash%3A b.failed on device 0 on node2", crash_details()) +
                one_command("error", "gpucheck comparison%3A gemm.bf16.digest of H100", difference) +
                one_command("notice", "gpucheck hang%3A a.late on device 0 on node1", late_details()) +
                one_command("warning", "gpucheck pass%3A b.warned on device 0 on node2", warned_details()));
}

TEST(GithubReport, EscapesWhatEndsAProperty) {
  fleet::RunRecord run;
  run.results.push_back(reasoned_result("a:b,c%d", Outcome::crash, "x:y,z%"));
  run.end.exit_code = 1;
  const std::string text = written("github", only(std::move(run)));
  EXPECT_NE(text.find("\n::error title=gpucheck crash%3A a%3Ab%2Cc%25d on device 0::x:y,z%25%0A"), std::string::npos)
      << text;
}

json ctrf_test(const std::string& name, const std::string& status, const std::string& word, const std::string& host,
               const std::string& place) {
  json suite = {"gpucheck"};
  if (!host.empty()) suite.push_back(host);
  suite.push_back(place);
  return {{"name", name}, {"status", status}, {"duration", 0}, {"suite", suite}, {"rawStatus", word}};
}

json ctrf_extra(const std::vector<std::string>& codes) { return {{"seed", 0}, {"devices", {0}}, {"failures", codes}}; }

json with_members(json test, const json& more) {
  test.update(more);
  return test;
}

TEST(CtrfReport, OfTwoRunsHasTheseTests) {
  const std::string late_code(harness::failures_of(small_run().results[2]).front()->code);
  const std::string crash_code(harness::failures_of(killed_run().results[3]).front()->code);
  const std::string late_message = "waived by node team until 2026-12-31: known; hang: not finished";
  const std::string never_message = "the run ended before this case; killed";
  const json expected = {
      with_members(ctrf_test("a.good", "passed", "pass", "node1", "device 0"),
                   {{"duration", 2}, {"extra", ctrf_extra({})}}),
      with_members(ctrf_test("a.bad", "failed", "fail", "node1", "device 0"),
                   {{"message", "errors: expected 0, seen 3, or 100%"},
                    {"trace", bad_details()},
                    {"extra", ctrf_extra({"GC2001"})}}),
      with_members(ctrf_test("a.late", "skipped", "waived", "node1", "device 0"),
                   {{"message", late_message}, {"trace", late_details()}, {"extra", ctrf_extra({late_code})}}),
      with_members(ctrf_test("b.warned", "passed", "pass", "node2", "device 0"),
                   {{"message", "mode"}, {"trace", warned_details()}, {"extra", ctrf_extra({})}}),
      with_members(ctrf_test("b.flaky", "passed", "pass", "node2", "device 0"),
                   {{"retries", 2},
                    {"flaky", true},
                    {"retryAttempts",
                     {{{"attempt", 1}, {"status", "failed"}, {"duration", 3}, {"message", "once"}},
                      {{"attempt", 2}, {"status", "skipped"}, {"duration", 0}, {"message", "then"}}}},
                    {"extra", ctrf_extra({})}}),
      with_members(ctrf_test("b.skipped", "skipped", "skip", "node2", "device 0"),
                   {{"message", "needs 2 devices"}, {"extra", ctrf_extra({})}}),
      with_members(ctrf_test("b.failed", "failed", "crash", "node2", "device 0"),
                   {{"message", "gone"},
                    {"trace", crash_details()},
                    {"stdout", {"one", "", "three"}},
                    {"stderr", {"complaint"}},
                    {"extra", ctrf_extra({crash_code})}}),
      with_members(ctrf_test("b.never", "failed", "not run", "node2", "device 0"), {{"message", never_message}}),
      with_members(ctrf_test("gemm.bf16.digest of H100", "failed", "comparison", "", "comparison"),
                   {{"message", "node2 differs"}, {"trace", difference}})};
  const json results = json::parse(written("ctrf", two_runs()))["results"];
  EXPECT_EQ(results["tests"], expected);
  json summary = results["summary"];
  const json runs = summary["extra"]["runs"];
  summary.erase("extra");
  // From 1970, where the second run started, to the end of the first.
  EXPECT_EQ(summary, (json{{"tests", 9},
                           {"passed", 3},
                           {"failed", 4},
                           {"skipped", 2},
                           {"pending", 0},
                           {"other", 0},
                           {"flaky", 1},
                           {"start", 0},
                           {"stop", 1787392801500},
                           {"duration", 1787392801500}}));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0]["label"], "node1");
  EXPECT_EQ(runs[0]["host_name"], "node1");
  EXPECT_EQ(runs[0]["exit_code"], 1);
  EXPECT_EQ(runs[0]["seed"], 7);
  EXPECT_EQ(runs[0]["incomplete"], nullptr);
  EXPECT_EQ(runs[0]["devices"].size(), 1U);
  EXPECT_FALSE(runs[0].contains("config"));
  EXPECT_EQ(runs[1]["label"], "node2");
  EXPECT_EQ(runs[1]["incomplete"], "killed");
  EXPECT_EQ(runs[1]["config"]["path"], "/site/gpucheck.toml");
}

/// The run with the settings of a file, a different count of each outcome, and a case of the machine.
fleet::RunRecord counted_run() {
  fleet::RunRecord run = small_run();
  run.start.configuration.emplace();
  run.start.configuration->path = "/c.toml";
  run.start.configuration->profile = "nightly";
  run.start.configuration->settings = {{"suite", "quick", 1}, {"seed", "7", 2}};
  run.results.push_back(reasoned_result("health.driver", Outcome::pass));
  run.results.back().devices.clear();
  run.end.counts = {
      .pass = 1, .fail = 2, .error = 3, .crash = 4, .hang = 5, .skip = 6, .flaky = 7, .waived = 8, .not_run = 0};
  return run;
}

std::string gauge(const std::string& name, const std::string& help) {
  return "# HELP gpucheck_" + name + " " + help + "\n# TYPE gpucheck_" + name + " gauge\n";
}

/// The sample of each verdict, of which this one holds.
std::string verdict_samples(const std::string& name, const std::string& labels, const std::string& holds) {
  std::string text;
  for (const std::string verdict : {"passed", "failed", "not_judged"}) {
    text += fmt::format("gpucheck_{}{{{},verdict=\"{}\"}} {}\n", name, labels, verdict, verdict == holds ? 1 : 0);
  }
  return text;
}

std::string count_samples(const std::vector<std::pair<std::string, int>>& counts) {
  std::string text;
  for (const auto& [outcome, count] : counts) {
    text += fmt::format("gpucheck_run_results{{host=\"node1\",outcome=\"{}\"}} {}\n", outcome, count);
  }
  return text;
}

TEST(PrometheusReport, OfOneRunIsThisText) {
  const std::string host = "host=\"node1\"";
  const std::string device = host + ",device=\"0\",uuid=\"GPU-1\"";
  EXPECT_EQ(written("prometheus", only(counted_run())),
            gauge("run_info", "The run that the other metrics are of.") + "gpucheck_run_info{" + host +
                ",version=\"1.2.3\",seed=\"7\",incomplete=\"\"} 1\n" +
                gauge("run_config", "How many settings of the run its configuration file decided.") +
                "gpucheck_run_config{" + host + ",path=\"/c.toml\",profile=\"nightly\"} 2\n" +
                gauge("run_config_setting", "A setting that the configuration file decided.") +
                "gpucheck_run_config_setting{" + host + ",key=\"suite\",value=\"quick\"} 1\n" +
                "gpucheck_run_config_setting{" + host + ",key=\"seed\",value=\"7\"} 1\n" +
                gauge("run_start_time_seconds", "When the run started, in seconds since 1970.") +
                "gpucheck_run_start_time_seconds{" + host + "} 1787392800\n" +
                gauge("run_duration_seconds", "How long the run took.") + "gpucheck_run_duration_seconds{" + host +
                "} 1.5\n" + gauge("run_exit_code", "0 passed, 1 failed, 3 not judged, 130 and 143 interrupted.") +
                "gpucheck_run_exit_code{" + host + "} 1\n" + gauge("run_verdict", "1 for the verdict on the run.") +
                verdict_samples("run_verdict", host, "failed") +
                gauge("run_results", "Results by outcome; flaky ones are also passes, waived ones also failures.") +
                count_samples({{"pass", 1},
                               {"fail", 2},
                               {"error", 3},
                               {"crash", 4},
                               {"hang", 5},
                               {"skip", 6},
                               {"flaky", 7},
                               {"waived", 8},
                               {"not_run", 0}}) +
                gauge("device_info", "A device that the run was on.") + "gpucheck_device_info{" + device +
                ",pci_bus_id=\"0000:01:00.0\",name=\"H100\",kind=\"sim\"} 1\n" +
                gauge("device_verdict", "1 for the verdict on the device.") +
                verdict_samples("device_verdict", device, "failed") +
                gauge("device_failure", "A kind of failure that the device has; gpucheck explain CODE.") +
                "gpucheck_device_failure{" + device +
                ",code=\"GC2001\",failure=\"memory_mismatch\",severity=\"critical\",action=\"replace\"} 1\n" +
                gauge("machine_verdict", "1 for the verdict on the machine.") +
                verdict_samples("machine_verdict", host, "passed") +
                gauge("measurement", "A measured value that a limit judges, in the unit that its key ends with.") +
                "gpucheck_measurement{" + host + ",case=\"a.good\",place=\"device 0\",key=\"copy_gbps\"} 2600.5\n" +
                gauge("case_not_passed", "A case that counts against the run.") + "gpucheck_case_not_passed{" + host +
                ",case=\"a.bad\",place=\"device 0\",outcome=\"fail\"} 1\n");
}

TEST(PrometheusReport, WritesInfiniteValuesWithTheirSign) {
  for (const auto& [value, text] : {std::pair(std::numeric_limits<double>::infinity(), "\"} +Inf\n"),
                                    {-std::numeric_limits<double>::infinity(), "\"} -Inf\n"}}) {
    fleet::RunRecord run = small_run();
    run.results[0].measurements[0].value = value;
    EXPECT_NE(written("prometheus", only(std::move(run))).find("key=\"copy_gbps" + std::string(text)),
              std::string::npos);
  }
}

}  // namespace
}  // namespace gpucheck::report
