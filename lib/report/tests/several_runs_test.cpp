// Reports on the runs of several hosts and devices, and on what was not run.
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "report/run_set.hpp"

namespace gpucheck::report {
namespace {

using harness::Outcome;

harness::CaseResult half_second_result(const std::string& name, Outcome outcome, std::vector<int> devices) {
  harness::CaseResult result;
  result.name = name;
  result.outcome = outcome;
  result.devices = std::move(devices);
  result.duration_ms = 500;
  return result;
}

/// One result of each outcome on device 0, a failure on device 1 and on both.
fleet::RunRecord record(const std::string& host) {
  fleet::RunRecord run;
  run.start.host_name = host;
  run.start.devices.resize(2);
  run.start.devices[1].index = 1;
  for (const Outcome outcome :
       {Outcome::pass, Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    run.results.push_back(half_second_result("a." + std::string(to_text(outcome)), outcome, {0}));
  }
  run.results.push_back(half_second_result("a.fail", Outcome::fail, {1}));
  run.results.push_back(half_second_result("a.pair", Outcome::fail, {0, 1}));
  harness::CaseResult waived = half_second_result("b.waived", Outcome::crash, {0});
  waived.waiver = harness::Waiver{};
  run.results.push_back(std::move(waived));
  for (const harness::CaseResult& one : run.results) run.start.selected.push_back(selected_case(one));
  run.end.duration_ms = 1500;
  run.end.not_run = {{.name = "b.late", .devices = {0}}};
  run.end.counts.not_run = 1;
  return run;
}

/// "tests failures errors skipped" of a suite.
std::string counts_of(const pugi::xml_node& node) {
  std::string text;
  for (const char* name : {"tests", "failures", "errors", "skipped"}) {
    text += std::string(node.attribute(name).as_string("-")) + " ";
  }
  return text;
}

TEST(SeveralRuns, AreCountedSuiteBySuiteAndAltogether) {
  const std::string text = fleet_junit_document({record("n1"), record("n2")}, {"n1", "n2"});
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  const pugi::xml_node all = document.child("testsuites");
  EXPECT_EQ(counts_of(all), "20 6 8 - ");
  EXPECT_STREQ(all.attribute("time").value(), "3.000") << "of both runs";
  std::vector<std::string> suites;
  for (const pugi::xml_node suite : all.children("testsuite")) {
    suites.push_back(suite.attribute("name").value() + std::string(": ") + counts_of(suite) +
                     suite.attribute("time").value());
    const auto cases = suite.children("testcase");
    EXPECT_EQ(std::distance(cases.begin(), cases.end()), suite.attribute("tests").as_int());
    for (const pugi::xml_node testcase : cases) {
      EXPECT_STREQ(testcase.attribute("classname").value(), suite.attribute("name").value());
    }
  }
  EXPECT_EQ(suites, (std::vector<std::string>{
                        "gpucheck.n1.device0.a: 6 1 3 1 3.000", "gpucheck.n1.device1.a: 1 1 0 0 0.500",
                        "gpucheck.n1.device0-1.a: 1 1 0 0 0.500", "gpucheck.n1.device0.b: 2 0 1 1 0.500",
                        "gpucheck.n2.device0.a: 6 1 3 1 3.000", "gpucheck.n2.device1.a: 1 1 0 0 0.500",
                        "gpucheck.n2.device0-1.a: 1 1 0 0 0.500", "gpucheck.n2.device0.b: 2 0 1 1 0.500"}));
}

TEST(NotRun, TellsOfEachWhetherItHadBeenStarted) {
  fleet::RunRecord run;
  run.end.not_run = {{.name = "a.b"}, {.name = "a.b"}, {.name = "a.c"}};
  run.end.running = {{.name = "a.b"}};
  run.end.counts.not_run = 3;
  const auto messages = [&run] {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(junit_document(run).c_str()));
    std::vector<std::string> texts;
    for (const auto& found : document.select_nodes("//error/@message")) texts.emplace_back(found.attribute().value());
    return texts;
  };
  EXPECT_EQ(messages(), (std::vector<std::string>{"the run ended while this case was running",
                                                  "the run ended before this case", "the run ended before this case"}));
  run.end.counts.not_run = 4;
  EXPECT_EQ(messages().size(), 4U);
  EXPECT_EQ(messages().back(), "the run ended before 1 more results of later repetitions");
}

TEST(LongOutput, IsShownFromItsEnd) {
  fleet::RunRecord run;
  run.results.push_back(half_second_result("a.b", Outcome::crash, {}));
  for (int i = 0; i < 10'000; ++i) run.results[0].error_tail += "line " + std::to_string(i) + "\n";
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(junit_document(run).c_str()));
  const std::string details = document.select_node("//error").node().text().as_string();
  EXPECT_NE(details.find("line 9999"), std::string::npos) << details;
  EXPECT_EQ(details.find("line 0\n"), std::string::npos);
}

}  // namespace
}  // namespace gpucheck::report
