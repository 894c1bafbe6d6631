#include "fleet/nodes/kept_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/nodes/tests/runs_of_nodes.hpp"

namespace gpucheck::fleet {
namespace {

using harness::Outcome;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> names_of(const KeptRun& run) {
  std::vector<std::string> names;
  for (const KeptCase& one : run.cases) names.push_back(*one.name);
  return names;
}

TEST(KeptRun, CountsEachCaseOnAllDevicesAndKeepsWhatDidNotPass) {
  SharedTexts texts;
  const KeptRun run = kept({.uuids = {"GPU-1", "GPU-2"},
                            .results = {result_of("b.two", Outcome::pass, {0}), result_of("b.two", Outcome::fail, {1}),
                                        result_of("a.one", Outcome::crash, {0}), result_of("c.skip", Outcome::skip)},
                            .not_run = {{.name = "d.late", .devices = {1}}}},
                           texts);
  EXPECT_THAT(names_of(run), ElementsAre("a.one", "b.two", "c.skip", "d.late"));
  EXPECT_EQ(run.cases[1].counts.pass, 1);
  EXPECT_EQ(run.cases[1].counts.fail, 1);
  EXPECT_EQ(run.cases[1].duration_ms, 20);
  EXPECT_EQ(run.cases[2].counts.skip, 1);
  EXPECT_EQ(run.cases[3].counts.not_run, 1);
  ASSERT_THAT(run.troubles, SizeIs(2));
  EXPECT_EQ(run.troubles[0].name, "b.two");
  EXPECT_EQ(run.troubles[1].name, "a.one");
  EXPECT_THAT(run.start.selected, IsEmpty()) << "a thousand nodes name the same cases";
  ASSERT_THAT(run.verdicts, SizeIs(2));
  EXPECT_EQ(run.verdicts[1].verdict, harness::Verdict::failed);
  EXPECT_FALSE(run.of_machine);
}

TEST(KeptRun, KeepsADozenFailuresInDetailAndCountsTheOthers) {
  SharedTexts texts;
  NodeOfTests node{.results = {}};
  for (std::size_t i = 0; i < RunKeeper::most_troubles + 3; ++i) {
    node.results.push_back(result_of("a.b" + std::to_string(i), Outcome::error));
  }
  const KeptRun run = kept(node, texts);
  EXPECT_THAT(run.troubles, SizeIs(RunKeeper::most_troubles));
  EXPECT_EQ(run.troubles_left_out, 3U);
  EXPECT_THAT(run.cases, SizeIs(RunKeeper::most_troubles + 3));
}

TEST(KeptRun, KeepsTheEndOfLongOutputAndNoObservationsOfATrouble) {
  SharedTexts texts;
  harness::CaseResult failed = result_of("a.b", Outcome::fail);
  failed.observations = {{"key", std::string(10'000, 'x')}};
  failed.error_tail = std::string(5000, 'a') + "the end";
  failed.mismatches = std::vector<harness::Mismatch>(60, {"k", std::string(5000, 'e'), "s", "math"});
  const KeptRun run = kept({.results = {failed}}, texts);
  EXPECT_THAT(run.troubles.at(0).observations, IsEmpty());
  EXPECT_THAT(run.troubles.at(0).error_tail, SizeIs(2000));
  EXPECT_TRUE(run.troubles.at(0).error_tail.ends_with("the end"));
  EXPECT_THAT(run.troubles.at(0).mismatches, SizeIs(50));
  EXPECT_THAT(run.troubles.at(0).mismatches[0].expected, SizeIs(2000));
}

TEST(KeptRun, KeepsWhatALimitJudgedOfCasesThatPassedOrWereOnlySlow) {
  SharedTexts texts;
  const auto measured = [](Outcome outcome, const std::string& failure) {
    harness::CaseResult result = result_of("bandwidth.device_write", outcome, {0});
    result.measurements = {
        {.key = "write_gb_per_s", .value = 2500, .verdict = "pass", .fail_below = 2000, .source = "vendor"}};
    if (outcome == Outcome::fail) result.mismatches.front().failure = failure;
    return result;
  };
  const KeptRun passed = kept({.results = {measured(Outcome::pass, "")}}, texts);
  ASSERT_THAT(passed.measurements, SizeIs(1));
  EXPECT_EQ(*passed.measurements[0].case_name, "bandwidth.device_write");
  EXPECT_EQ(*passed.measurements[0].key, "write_gb_per_s");
  EXPECT_EQ(passed.measurements[0].value, 2500);
  EXPECT_EQ(passed.measurements[0].device, 0);
  EXPECT_THAT(kept({.results = {measured(Outcome::fail, "GC2001")}}, texts).measurements, IsEmpty())
      << "the speed of a GPU that computes wrongly is not one of its kind's";
}

TEST(KeptRun, KeepsTheLastOfWhatEachTwoDevicesGaveAndNotMoreThanReportsShow) {
  SharedTexts texts;
  const auto measured = [](const std::string& metric, double speed) {
    harness::CaseResult result = result_of("bandwidth.peer_copy", Outcome::pass, {0, 1});
    result.observations = {{metric + "_of_pairs", std::vector<double>{0, speed, 2 * speed, 0}}};
    return result;
  };
  NodeOfTests node{.results = {measured("copy_gbps", 100), measured("read_gbps", 300), measured("copy_gbps", 200)}};
  const KeptRun run = kept(node, texts);
  ASSERT_THAT(run.pairs, SizeIs(2));
  EXPECT_EQ(*run.pairs[0].case_name, "bandwidth.peer_copy");
  EXPECT_EQ(*run.pairs[0].metric, "copy_gbps");
  EXPECT_EQ(run.pairs[0].devices, (std::vector{0, 1}));
  EXPECT_EQ(run.pairs[0].values, (std::vector<double>{0, 200, 400, 0}));
  EXPECT_EQ(*run.pairs[1].metric, "read_gbps");
  node.results.clear();
  for (std::size_t i = 0; i <= RunKeeper::most_pairs; ++i) node.results.push_back(measured(std::to_string(i), 1));
  EXPECT_THAT(kept(node, texts).pairs, SizeIs(RunKeeper::most_pairs));
}

TEST(KeptRun, IsJudgedByTheWaiversOfTheMergeInsteadOfItsOwn) {
  SharedTexts texts;
  const Waivers waivers{{.case_glob = "a.*", .device = "any", .reason = "r", .owner = "o", .expires = "2099-12-31"}};
  const NodeOfTests node{.results = {result_of("a.b", Outcome::fail), result_of("c.d", Outcome::pass)}};
  const KeptRun waived = kept(node, texts, waivers);
  EXPECT_EQ(waived.end.exit_code, 0);
  EXPECT_EQ(waived.end.counts.waived, 1);
  EXPECT_EQ(waived.cases[0].counts.waived, 1);
  EXPECT_TRUE(waived.troubles.at(0).waiver);
  EXPECT_EQ(kept(node, texts).end.exit_code, 1);
}

TEST(SharedTexts, KeepEachTextOnce) {
  SharedTexts texts;
  const std::string* const first = texts.keep("alloc.fuzz");
  for (int i = 0; i < 1000; ++i) texts.keep(std::to_string(i));
  EXPECT_EQ(texts.keep("alloc.fuzz"), first);
  EXPECT_EQ(*first, "alloc.fuzz");
  EXPECT_NE(texts.keep("alloc.fuzz2"), first);
}

}  // namespace
}  // namespace gpucheck::fleet
