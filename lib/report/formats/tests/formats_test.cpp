// What each of the summaries says, on runs small enough to write the text by hand.
#include "report/formats/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "small_run.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(GithubReport, HasTheVerdictFirstAndThenWhatIsRed) {
  const std::string text = written("github", only(small_run()));
  EXPECT_THAT(text, StartsWith("::error title=gpucheck%3A FAILED::1 passed, 1 failed, 1 hung (1 waived); 1.5 s on H100 "
                               "(sim:0), seed 7, gpucheck 1.2.3\n"
                               "::error title=gpucheck fail%3A a.bad on device 0::errors: expected 0, seen 3, or 100%25"
                               "%0A"));
  EXPECT_THAT(text, HasSubstr("GC2001"));
  EXPECT_THAT(text, HasSubstr("\n::notice title=gpucheck hang%3A a.late on device 0::waived by node team until"));
  EXPECT_THAT(text, Not(HasSubstr("a.good")));
}

TEST(GithubReport, OfAPassIsANotice) {
  fleet::RunRecord run;
  run.results.push_back(reasoned_result("a.good", Outcome::pass));
  run.end.counts.pass = 1;
  EXPECT_EQ(written("github", only(run)),
            "::notice title=gpucheck%3A PASSED::1 passed; 0.0 ms on no device, seed 0, gpucheck \n");
}

TEST(MarkdownReport, ShowsVerdictDevicesAndFailures) {
  const std::string text = written("markdown", only(small_run()));
  EXPECT_THAT(text, StartsWith("## gpucheck: FAILED\n\n"));
  EXPECT_THAT(text, HasSubstr("started 2026-08-22T10:00:00 UTC on `node1`"));
  EXPECT_THAT(text, HasSubstr("| device 0 | <code>H100 &#40;sim:0&#41;</code> | <code>GPU-1 0000:01:00.0</code> | "
                              "**FAILED** | 1 passed, 1 failed, 1 hung (1 waived) | "));
  EXPECT_THAT(text, HasSubstr("### Failed (1)\n\n<details><summary>fail <code>a.bad</code> on device 0: "
                              "<code>errors: expected 0, seen 3, or 100&#37;</code></summary>\n\n```text\n"));
  EXPECT_THAT(text, HasSubstr("### Waived (1)\n"));
  EXPECT_THAT(text, Not(HasSubstr("a.good")));
}

TEST(MarkdownReport, KeepsBelowWhatGithubTakes) {
  fleet::RunRecord run;
  for (int i = 0; i < 500; ++i) {
    run.results.push_back(reasoned_result("a.b" + std::to_string(i), Outcome::crash, std::string(300, '<')));
    run.results.back().error_tail = std::string(3000, '`');
  }
  const std::string text = written("markdown", only(std::move(run)));
  EXPECT_LT(text.size(), 1024U * 1024U);
  EXPECT_THAT(text, HasSubstr("### Failed (500)"));
  EXPECT_THAT(text, HasSubstr("More results are left out here"));
}

TEST(PrometheusReport, HasSamplesThatAnAlertCanAskFor) {
  const std::string text = written("prometheus", only(small_run()));
  for (const char* line : {
           "# HELP gpucheck_run_verdict 1 for the verdict on the run.\n# TYPE gpucheck_run_verdict gauge\n"
           "gpucheck_run_verdict{host=\"node1\",verdict=\"passed\"} 0\n"
           "gpucheck_run_verdict{host=\"node1\",verdict=\"failed\"} 1\n"
           "gpucheck_run_verdict{host=\"node1\",verdict=\"not_judged\"} 0\n",
           "gpucheck_run_exit_code{host=\"node1\"} 1\n",
           "gpucheck_run_start_time_seconds{host=\"node1\"} 1787392800\n",
           "gpucheck_run_duration_seconds{host=\"node1\"} 1.5\n",
           "gpucheck_run_results{host=\"node1\",outcome=\"pass\"} 1\n",
           "gpucheck_run_results{host=\"node1\",outcome=\"waived\"} 1\n",
           "gpucheck_device_verdict{host=\"node1\",device=\"0\",uuid=\"GPU-1\",verdict=\"failed\"} 1\n",
           "gpucheck_device_failure{host=\"node1\",device=\"0\",uuid=\"GPU-1\",code=\"GC2001\",failure=\"memory_"
           "mismatch\","
           "severity=\"critical\",action=\"replace\"} 1\n",
           "gpucheck_case_not_passed{host=\"node1\",case=\"a.bad\",place=\"device 0\",outcome=\"fail\"} 1\n",
           "gpucheck_measurement{host=\"node1\",case=\"a.good\",place=\"device 0\",key=\"copy_gbps\"} 2600.5\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("case=\"a.late\""))) << "waived";
}

TEST(PrometheusReport, EscapesLabelsAndTakesNumbersThatAreNotFinite) {
  fleet::RunRecord run = small_run();
  run.start.host_name = "a\\b\"c\nd";
  run.results[0].measurements[0].value = std::numeric_limits<double>::quiet_NaN();
  const std::string text = written("prometheus", only(std::move(run)));
  EXPECT_THAT(text, HasSubstr(R"({host="a\\b\"c d"})"));
  EXPECT_THAT(text, HasSubstr("key=\"copy_gbps\"} NaN\n"));
}

TEST(PrometheusReport, OfTwoRunsOfOneNameKeepsBothApart) {
  const std::string text =
      written("prometheus", {.runs = {small_run(), small_run()}, .labels = {"node1", "node1"}, .exit_code = 1});
  EXPECT_THAT(text, HasSubstr("gpucheck_run_exit_code{host=\"node1\",run=\"node1\"} 1\n"
                              "gpucheck_run_exit_code{host=\"node1\",run=\"node1\",copy=\"2\"} 1\n"));
}

TEST(CtrfReport, CountsRedAsFailedAndSaysOurWord) {
  fleet::RunRecord run = small_run();
  run.results.push_back(reasoned_result("a.unsure", Outcome::error));
  run.results.push_back(reasoned_result("a.absent", Outcome::skip));
  run.end.not_run = {{.name = "a.never", .devices = {0}}};
  run.end.counts.not_run = 1;
  const auto document = nlohmann::json::parse(written("ctrf", only(std::move(run))));
  const auto& results = document["results"];
  EXPECT_EQ(results["tool"], nlohmann::json({{"name", "gpucheck"}, {"version", "1.2.3"}}));
  EXPECT_EQ(results["summary"]["start"], 1787392800000);
  EXPECT_EQ(results["summary"]["stop"], 1787392801500);
  EXPECT_EQ(results["environment"]["healthy"], false);
  std::map<std::string, std::string> statuses;
  for (const auto& test : results["tests"]) {
    statuses[test["name"]] = test["status"].get<std::string>() + " " + test["rawStatus"].get<std::string>();
  }
  EXPECT_EQ(statuses, (std::map<std::string, std::string>{{"a.good", "passed pass"},
                                                          {"a.bad", "failed fail"},
                                                          {"a.late", "skipped waived"},
                                                          {"a.unsure", "failed error"},
                                                          {"a.absent", "skipped skip"},
                                                          {"a.never", "failed not run"}}));
  EXPECT_EQ(results["tests"][0]["duration"], 2) << "whole milliseconds";
}

TEST(CtrfReport, TellsOfRetries) {
  fleet::RunRecord run;
  run.results.push_back(reasoned_result("a.b", Outcome::pass));
  run.results.back().flaky = true;
  run.results.back().earlier_attempts = {{Outcome::fail, "once", 3}};
  const auto test = nlohmann::json::parse(written("ctrf", only(std::move(run))))["results"]["tests"][0];
  EXPECT_EQ(test["flaky"], true);
  EXPECT_EQ(test["retries"], 1);
  EXPECT_EQ(test["retryAttempts"],
            nlohmann::json::parse(R"([{"attempt": 1, "status": "failed", "duration": 3, "message": "once"}])"));
}

}  // namespace
}  // namespace gpucheck::report
