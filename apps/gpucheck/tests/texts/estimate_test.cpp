#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <list>
#include <nlohmann/json.hpp>

#include "commands/cases/case_documents.hpp"
#include "commands/cases/run_estimate.hpp"
#include "commands/prove/proof_document.hpp"

/// How long a run takes, and what its documents say, of cases that were made by hand.
namespace gpucheck::application {
namespace {

using harness::Estimate;
using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class EstimateTest : public ::testing::Test {
 protected:
  /// A case that took so long on a simulated device, or that was never measured.
  harness::Case& add(const std::string& name, std::optional<milliseconds> time, bool exclusive = false) {
    harness::Case& made = cases_.emplace_back();
    made.name = name;
    made.summary = "about " + name;
    made.deadline = milliseconds(9000);
    made.needs.exclusive = exclusive;
    if (time) durations_.set(name, {.on_simulator = time, .on_gpu = {}});
    selected_.push_back(&made);
    return made;
  }
  [[nodiscard]] RunEstimate estimate(int jobs) const { return estimate_run(selected_, "sim", jobs, durations_); }

  std::list<harness::Case> cases_;
  std::vector<const harness::Case*> selected_;
  harness::Durations durations_;
};

TEST_F(EstimateTest, OneAfterTheOtherAddsUp) {
  for (const int time : {100, 200, 300}) add("a.c" + std::to_string(time), milliseconds(time));
  EXPECT_EQ(estimate(1).side_by_side, milliseconds(600));
  EXPECT_EQ(estimate(1).jobs, 1);
  EXPECT_EQ(estimate(3).side_by_side, milliseconds(300));
  EXPECT_EQ(estimate(2).side_by_side, milliseconds(400)) << "the third begins when the first ends, after 100 ms";
  EXPECT_EQ(estimate_run({}, "sim", 2, durations_).side_by_side, milliseconds(0));
}

TEST_F(EstimateTest, WhatIsExclusiveRunsAloneAtTheEnd) {
  add("a.alone", milliseconds(1000), true);
  add("a.b", milliseconds(100));
  add("a.c", milliseconds(200));
  add("a.too", milliseconds(50), true);
  EXPECT_EQ(estimate(4).side_by_side, milliseconds(200 + 1000 + 50));
}

TEST_F(EstimateTest, WhatSharesMemoryOrTheWayToTheHostWaits) {
  add("a.b", milliseconds(100)).needs.memory_fraction = 0.6;
  add("a.c", milliseconds(200)).needs.memory_fraction = 0.6;
  EXPECT_EQ(estimate(4).side_by_side, milliseconds(300));
  cases_.front().needs.memory_fraction = 0.3;
  EXPECT_EQ(estimate(4).side_by_side, milliseconds(200));
  cases_.front().needs.host_link = true;
  cases_.back().needs.host_link = true;
  EXPECT_EQ(estimate(4).side_by_side, milliseconds(300));
}

TEST_F(EstimateTest, CountsWhatWasMeasuredAndWhatMayTakeItsDeadline) {
  add("a.b", milliseconds(100));
  add("a.unknown", std::nullopt);
  add("a.other", std::nullopt);
  const RunEstimate estimated = estimate(1);
  EXPECT_TRUE(estimated.on_simulator);
  EXPECT_EQ(estimated.measured, 1U);
  EXPECT_EQ(estimated.unmeasured, 2U);
  EXPECT_THAT(estimated.cases, ElementsAre(Estimate{milliseconds(100), Estimate::Basis::measured},
                                           Estimate{milliseconds(9000), Estimate::Basis::deadline},
                                           Estimate{milliseconds(9000), Estimate::Basis::deadline}));
  EXPECT_EQ(estimated.side_by_side, milliseconds(18'100));
  const std::string text = estimate_text(selected_, estimated);
  EXPECT_THAT(text, HasSubstr("a.unknown"));
  EXPECT_THAT(text, HasSubstr("at most: its deadline\n"));
  EXPECT_THAT(text, HasSubstr("measured\n"));
  EXPECT_THAT(text, HasSubstr("3 cases on the simulated device, 1 at a time: at most "));
  EXPECT_THAT(text, HasSubstr("2 of them count with their deadlines, as they were not measured on a simulated device"));
}

TEST_F(EstimateTest, OfMeasuredCasesAloneIsAbout) {
  add("a.b", milliseconds(100));
  const std::string text = estimate_text(selected_, estimate(2));
  EXPECT_THAT(text, HasSubstr("1 case on the simulated device, 2 at a time: about "));
  EXPECT_THAT(text, HasSubstr("all were measured on one\n"));
  RunEstimate on_gpu = estimate(2);
  on_gpu.on_simulator = false;
  on_gpu.cases[0].basis = Estimate::Basis::skipped;
  EXPECT_THAT(estimate_text(selected_, on_gpu), HasSubstr("skipped: it needs the simulated device\n"));
  EXPECT_THAT(estimate_text(selected_, on_gpu), HasSubstr("on each GPU, 2 at a time"));
  EXPECT_THAT(estimate_text(selected_, on_gpu), HasSubstr("all were measured on a GPU\n"));
}

TEST_F(EstimateTest, OfADeviceThatIsNoneIsRejected) {
  EXPECT_THROW(static_cast<void>(estimate_run({}, "gpu", 1, durations_)), UsageError);
}

TEST_F(EstimateTest, IsPartOfTheListsDocument) {
  add("a.b", milliseconds(100));
  add("a.unknown", std::nullopt);
  const json document = json::parse(list_document(selected_, estimate(3)));
  EXPECT_EQ(document["cases"][0]["name"], "a.b");
  EXPECT_EQ(document["cases"][0]["estimate_ms"], 100);
  EXPECT_EQ(document["cases"][0]["estimate_basis"], "measured");
  EXPECT_EQ(document["cases"][1]["estimate_ms"], 9000);
  EXPECT_EQ(document["cases"][1]["estimate_basis"], "deadline");
  EXPECT_EQ(document["estimate"]["device_kind"], "sim");
  EXPECT_EQ(document["estimate"]["jobs"], 3);
  EXPECT_EQ(document["estimate"]["measured_cases"], 1);
  EXPECT_EQ(document["estimate"]["side_by_side_ms"], 9000);
  EXPECT_FALSE(json::parse(list_document(selected_, std::nullopt)).contains("estimate"));
}

TEST_F(EstimateTest, TheDocumentOfACaseHasAllThatItDeclares) {
  harness::Case& made = add("group.case", std::nullopt);
  made.source = "s";
  made.on_request = true;
  made.parameters = {{.name = "first", .summary = "one", .default_value = std::int64_t{3}, .unit = "ms", .minimum = 1},
                     {.name = "second", .summary = "two", .default_value = std::string("x"), .choices = {"x", "y"}},
                     {.name = "third", .summary = "three", .default_value = 0.5, .maximum = 2}};
  made.faults = {{.name = "lost", .summary = "l"}, {.name = "late", .summary = "m"}};
  const json document = json::parse(case_document(made, nullptr));
  EXPECT_EQ(document["group"], "group");
  EXPECT_EQ(document["deadline_ms"], 9000);
  EXPECT_EQ(document["on_request"], true);
  ASSERT_EQ(document["parameters"].size(), 3U);
  EXPECT_EQ(document["parameters"][0]["default"], 3);
  EXPECT_EQ(document["parameters"][0]["minimum"], 1);
  EXPECT_FALSE(document["parameters"][0].contains("maximum"));
  EXPECT_FALSE(document["parameters"][0].contains("choices"));
  EXPECT_EQ(document["parameters"][1]["choices"], (json{"x", "y"}));
  EXPECT_EQ(document["parameters"][2]["maximum"], 2);
  EXPECT_FALSE(document["parameters"][2].contains("minimum"));
  EXPECT_EQ(document["faults"], (json{{{"name", "lost"}, {"summary", "l"}}, {{"name", "late"}, {"summary", "m"}}}));
  EXPECT_TRUE(document["golden"].is_null());
}

// -- the document of a proof ---------------------------------------------------------------------

harness::CaseResult ended_with(harness::Outcome outcome, const std::string& fault = {}, const std::string& key = {}) {
  harness::CaseResult result;
  result.outcome = outcome;
  result.fault = fault;
  result.reason = "why";
  result.duration_ms = 12.5;
  if (!key.empty()) result.mismatches = {{key, "1", "2", "math"}};
  return result;
}

TEST_F(EstimateTest, TheDocumentOfAProofSaysWhatNoticedEachFault) {
  harness::Case& whole = add("a.whole", std::nullopt);
  for (const char* name : {"first", "second", "third"}) whole.faults.push_back({.name = name, .summary = ""});
  runner::Proof proof;
  proof.device.kind = "sim";
  proof.cases.push_back(
      {.test_case = &whole,
       .clean = ended_with(harness::Outcome::pass),
       .trials = {{ended_with(harness::Outcome::pass, "second")}, {ended_with(harness::Outcome::fail, "first", "x")}},
       .judged_keys = {"x", "y"}});
  harness::Case& red = add("a.red", std::nullopt);
  red.faults = whole.faults;
  proof.cases.push_back({.test_case = &red, .clean = ended_with(harness::Outcome::fail, "", "z")});
  const json document = json::parse(proof_document(proof));
  EXPECT_EQ(document["device"]["kind"], "sim");
  EXPECT_EQ(document["fault_count"], 6);
  EXPECT_EQ(document["noticed_count"], 1);
  EXPECT_EQ(document["key_count"], 2);
  EXPECT_EQ(document["red_key_count"], 1);
  EXPECT_EQ(document["exit_code"], 1);
  const json first = document["cases"][0];
  EXPECT_EQ(first["proven"], false);
  EXPECT_EQ(first["clean"]["outcome"], "pass");
  EXPECT_EQ(first["keys"],
            (json{{{"key", "x"}, {"red_under", {"first"}}}, {{"key", "y"}, {"red_under", json::array()}}}));
  ASSERT_EQ(first["faults"].size(), 3U);
  EXPECT_EQ(first["faults"][0]["name"], "first");
  EXPECT_EQ(first["faults"][0]["noticed"], true);
  EXPECT_EQ(first["faults"][0]["caught_by"], "key");
  EXPECT_EQ(first["faults"][0]["outcome"], "fail");
  EXPECT_EQ(first["faults"][0]["duration_ms"], 12.5);
  EXPECT_EQ(first["faults"][0]["mismatches"][0]["key"], "x");
  EXPECT_EQ(first["faults"][1]["noticed"], false);
  EXPECT_EQ(first["faults"][1]["caught_by"], "nothing");
  EXPECT_EQ(first["faults"][2]["reason"], "not run: interrupted");
  EXPECT_EQ(first["faults"][2]["caught_by"], "nothing");
  EXPECT_EQ(document["cases"][1]["faults"], json::array()) << "none was tried: the clean run is red";
  EXPECT_EQ(document["cases"][1]["clean"]["mismatches"][0]["key"], "z");
}

}  // namespace
}  // namespace gpucheck::application
