#include "acceptance/contract/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acceptance/tests/small_fleet.hpp"
#include "schema.hpp"

namespace gpucheck::acceptance {
namespace {

using harness::Outcome;
using harness::Verdict;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Results = std::vector<harness::CaseResult>;

Standing standing_of_results(const Results& results) { return standing_of({journal_of(start_on("n1"), results)}); }

auto lacks(const char* name, const char* device, const char* reason) {
  return AllOf(Field(&Shortfall::case_name, name), Field(&Shortfall::device, device),
               Field(&Shortfall::reason, HasSubstr(reason)));
}

/// A good run, but for what `change` makes of its start, is void for this reason.
template <typename Change>
void expect_void(const Change& change, const char* reason) {
  harness::RunStarted start = start_on("n1");
  change(start);
  const Standing standing = standing_of({journal_of(std::move(start), good_results())});
  EXPECT_EQ(standing.verdict, Verdict::not_judged) << reason;
  EXPECT_THAT(standing.nodes.at(0).voids, ElementsAre(HasSubstr(reason)));
}

TEST(Standing, IsMetWhereEveryNodePassedEverything) {
  const Standing one = standing_of_results(good_results());
  EXPECT_EQ(one.verdict, Verdict::passed);
  EXPECT_EQ(one.nodes.at(0).required, 9U);  // machine, once, all, two each in a pair, two each alone
  EXPECT_EQ(one.nodes.at(0).met, 9U);
  const Standing three =
      standing_of({journal_of(start_on("n1"), good_results()), journal_of(start_on("n2"), good_results()),
                   journal_of(start_on("n3"), good_results())},
                  "n[1-3]");
  EXPECT_EQ(three.verdict, Verdict::passed);
  EXPECT_EQ(three.nodes.size(), 3U);
  EXPECT_THAT(standing_text(small_contract(), three), HasSubstr("MET         small acceptance 1.0 by 3 of 3 nodes\n"));
  EXPECT_EQ(report::json_schema_complaints(standing_json(small_contract(), three)), "");
}

TEST(Standing, DoesNotAskANodeForMoreGpusThanItHas) {
  Results results = good_results(1);
  results.push_back(without_evidence("link.all", {0}, Outcome::skip, "needs 2 devices, 1 is there"));
  const Standing standing = standing_of({journal_of(start_on("n1", 1), results)});
  EXPECT_EQ(standing.verdict, Verdict::passed);
  EXPECT_EQ(standing.nodes.at(0).required, 4U);
}

TEST(Standing, IsMetByPartsOfTheCasesAndByAProcessForEachGpuTogether) {
  Results first = good_results();
  Results second(first.begin() + 4, first.end());
  first.resize(4);
  const Standing parts = standing_of({journal_of(start_on("n1"), first), journal_of(start_on("n1"), second)});
  EXPECT_EQ(parts.verdict, Verdict::passed);
  EXPECT_EQ(standing_of({journal_of(start_on("n1"), first)}).verdict, Verdict::not_judged);
}

TEST(Standing, NeedsWhatAllGpusDoTogether) {
  Results results = good_results();
  std::erase_if(results, [](const harness::CaseResult& result) { return result.name == "link.all"; });
  results.push_back(without_evidence("link.all", {0}, Outcome::skip, "needs 2 devices, 1 is there"));
  const Standing standing = standing_of_results(results);
  EXPECT_EQ(standing.verdict, Verdict::not_judged);
  EXPECT_THAT(standing.nodes.at(0).not_judged, ElementsAre(lacks("link.all", "", "skip: needs 2 devices")));
}

TEST(Standing, IsNotMetByAFailure) {
  Results results = good_results();
  result_in(results, "memory.speed") = observed("memory.speed", {0}, {{"speed_gbps", 1000.0}});
  const Standing standing = standing_of_results(results);
  EXPECT_EQ(standing.verdict, Verdict::failed);
  EXPECT_THAT(standing.nodes.at(0).failed, ElementsAre(lacks("memory.speed", "GPU-n1-0", "fail: speed_gbps")));
  EXPECT_THAT(standing_text(small_contract(), standing),
              AllOf(HasSubstr("NOT MET     n1  8 of 9 required results on 2 devices\n"),
                    HasSubstr("failed memory.speed on GPU-n1-0: fail: speed_gbps: "),
                    HasSubstr("NOT MET     small acceptance 1.0 by 0 of 1 node\n")));
}

/// Neither by another repetition that passed, nor by nodes that did.
TEST(Standing, IsNotMetByAFailureThatAPassStandsBeside) {
  Results results = good_results();
  results.push_back(observed("alloc.one", {0}, {{"ok", false}}));
  results.back().repetition = 1;
  EXPECT_EQ(standing_of_results(results).verdict, Verdict::failed);
  const Standing two =
      standing_of({journal_of(start_on("n1"), results), journal_of(start_on("n2"), good_results())}, "2");
  EXPECT_EQ(two.verdict, Verdict::failed);
  EXPECT_EQ(two.nodes.at(1).verdict, Verdict::passed);
}

TEST(Standing, IsNotJudgedWhereEvidenceIsMissing) {
  Results missing = good_results();
  missing.pop_back();
  EXPECT_THAT(standing_of_results(missing).nodes.at(0).not_judged,
              ElementsAre(lacks("memory.speed", "GPU-n1-1", "it did not run there")));
  Results skipped = good_results();
  result_in(skipped, "memory.speed") = without_evidence("memory.speed", {0}, Outcome::skip, "no memory is free");
  EXPECT_THAT(standing_of_results(skipped).nodes.at(0).not_judged,
              ElementsAre(lacks("memory.speed", "GPU-n1-0", "skip: no memory is free")));
  Results error = good_results();
  result_in(error, "alloc.one") = without_evidence("alloc.one", {1}, Outcome::error, "the driver said no");
  EXPECT_THAT(standing_of_results(error).nodes.at(0).not_judged,
              ElementsAre(lacks("alloc.one", "", "error: the driver said no")));
  Results other = good_results();
  result_in(other, "memory.pattern").parameters = {{"rounds", std::int64_t{1}}};
  const Standing standing = standing_of_results(other);
  EXPECT_EQ(standing.verdict, Verdict::not_judged);
  EXPECT_THAT(standing.nodes.at(0).not_judged, ElementsAre(lacks("memory.pattern", "GPU-n1-0", "parameters")));
}

TEST(Standing, AsksForAsManyPassesAndGpusAsTheContractSays) {
  const std::vector<std::string> journals{journal_of(start_on("n1"), good_results())};
  const Contract twice = small_contract_with("\"minimum_repetitions\": 1", "\"minimum_repetitions\": 2");
  const Standing once = standing_of(journals, "1", twice);
  EXPECT_EQ(once.verdict, Verdict::not_judged);
  EXPECT_THAT(once.nodes.at(0).not_judged, Contains(lacks("alloc.one", "", "passed 1 time, the contract asks for 2")));
  Results results = good_results();
  for (harness::CaseResult result : good_results()) {
    result.repetition = 1;
    results.push_back(std::move(result));
  }
  EXPECT_EQ(standing_of({journal_of(start_on("n1"), results)}, "1", twice).verdict, Verdict::passed);
  const Contract three = small_contract_with("\"minimum_devices\": 1", "\"minimum_devices\": 3");
  EXPECT_THAT(standing_of(journals, "1", three).nodes.at(0).voids, ElementsAre(HasSubstr("2 devices, the contract")));
}

TEST(Standing, IsVoidByOptionsSettingsAndDevices) {
  for (const char* option : {"--retries=3", "--timeout", "-p", "--golden", "--waivers=x"}) {
    expect_void([&](harness::RunStarted& start) { start.command_line.emplace_back(option); },
                option[1] == '-' ? "--" : "-p");
  }
  expect_void([](harness::RunStarted& start) { start.settings.limits_path = "mine.json"; }, "limits_path");
  expect_void([](harness::RunStarted& start) { start.settings.golden_directory = "mine"; }, "golden_directory");
  expect_void([](harness::RunStarted& start) { start.settings.telemetry = "sick.json"; }, "telemetry");
  expect_void(
      [](harness::RunStarted& start) {
        start.configuration = harness::Configuration{.path = "/etc/x",
                                                     .profile = "",
                                                     .settings = {{.key = "suite", .value = "acceptance", .line = 1},
                                                                  {.key = "retries", .value = "3", .line = 2}}};
      },
      "configuration file sets retries");
}

TEST(Standing, AllowsWhatTheContractAllows) {
  harness::RunStarted start = start_on("n1");
  start.command_line = {"gpucheck", "run", "-j4", "--suite=acceptance", "--journal", "-"};
  start.settings.seed = 7;
  start.configuration = harness::Configuration{
      .path = "/etc/x", .profile = "", .settings = {{.key = "suite", .value = "acceptance", .line = 1}}};
  EXPECT_EQ(standing_of({journal_of(std::move(start), good_results())}).verdict, Verdict::passed);
}

TEST(Standing, IsVoidOnOtherDevices) {
  harness::RunStarted simulated = start_on("n1");
  for (harness::DeviceIdentity& device : simulated.devices) device.kind = "sim";
  const Standing standing = standing_of({journal_of(std::move(simulated), good_results())});
  EXPECT_EQ(standing.verdict, Verdict::not_judged);
  EXPECT_THAT(standing.nodes.at(0).voids, Contains(HasSubstr("device 0 is simulated, not cuda")));
}

TEST(Standing, IsVoidByGoldenFilesAndLimitsOfOthers) {
  const std::vector<std::string> journals{journal_of(start_on("n1"), good_results())};
  const golden::GoldenSet goldens = small_goldens();
  const Contract other = small_contract_with(small_contract().find("alloc.one")->golden, std::string(64, '0'));
  const Standing golden = standing_of(journals, "1", other);
  EXPECT_EQ(golden.verdict, Verdict::not_judged);
  EXPECT_THAT(golden.voids, ElementsAre("golden files that are not those of small acceptance 1.0: alloc.one"));
  const Contract limits = small_contract_with(small_contract().limits, std::string(64, '0'));
  EXPECT_THAT(standing_of(journals, "1", limits).voids,
              ElementsAre("the limits are not those of small acceptance 1.0"));
  EXPECT_THAT(standing_of(journals, "1", small_contract(), goldens, true).voids,
              ElementsAre("limits of the site went before the contract's"));
}

TEST(Standing, IsNotJudgedWhereTheFleetIsNot) {
  const std::vector<std::string> journals{journal_of(start_on("n1"), good_results())};
  const Standing missing = standing_of(journals, "n[1-2]");
  EXPECT_EQ(missing.nodes.at(0).verdict, Verdict::passed);
  EXPECT_EQ(missing.verdict, Verdict::not_judged);
  EXPECT_THAT(standing_text(small_contract(), missing),
              AllOf(HasSubstr("on all that ran is \"not_judged\""), HasSubstr("NOT JUDGED  small acceptance 1.0")));
}

TEST(Standing, NamesNoMoreThanAnybodyReads) {
  std::string many;
  for (int i = 10; i < 40; ++i) {
    many += "\"case.n" + std::to_string(i) + R"(": {"on": "machine", "devices": 0, "golden": "", "parameters": {}},)";
  }
  const Contract contract = small_contract_with("\"link.all\"", many + "\"link.all\"");
  const Standing standing = standing_of({journal_of(start_on("n1"), good_results())}, "1", contract);
  EXPECT_EQ(standing.nodes.at(0).not_judged.size(), NodeStanding::most_shortfalls);
  EXPECT_EQ(standing.nodes.at(0).left_out, 30 - NodeStanding::most_shortfalls);
  EXPECT_THAT(standing_text(contract, standing), HasSubstr("and 6 more\n"));
}

}  // namespace
}  // namespace gpucheck::acceptance
