#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/run/device_verdicts.hpp"

/// Verdicts where a case has several devices, or there is more than one of something.
namespace gpucheck::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum Verdict;

/// Three devices that the driver counts from 4, with names of their own.
std::vector<DeviceIdentity> three_devices() {
  std::vector<DeviceIdentity> three(3);
  for (int i = 0; i < 3; ++i) {
    DeviceIdentity& one = three[static_cast<std::size_t>(i)];
    one.index = i;
    one.ordinal = 4 + i;
    one.uuid = "GPU-" + std::string(1, static_cast<char>('a' + i));
    one.pci_bus_id = "0000:3" + std::to_string(i) + ":00.0";
  }
  return three;
}

CaseResult ended_on(const std::string& name, std::vector<int> on, Outcome outcome) {
  CaseResult one;
  one.name = name;
  one.devices = std::move(on);
  one.outcome = outcome;
  return one;
}

CaseResult failed_on(std::vector<int> on, const char* failure, std::vector<std::string> suspects = {}) {
  CaseResult one = ended_on("nccl.pairs", std::move(on), Outcome::fail);
  one.mismatches = {{"key", "0", "1", "math", failure}};
  one.observations = {{"first", std::int64_t{1}}, {"suspects", std::move(suspects)}};
  return one;
}

/// The verdicts on the three, where a case passed on each and these results came besides.
std::vector<DeviceVerdict> verdicts_with(const std::vector<CaseResult>& results, const RunFinished& end = {},
                                         const std::vector<DeviceIdentity>& devices = three_devices()) {
  DeviceVerdicts verdicts;
  for (int i = 0; i < 3; ++i) verdicts.add(ended_on("a.a", {i}, Outcome::pass));
  for (const CaseResult& one : results) verdicts.add(one);
  return verdicts.of(devices, end);
}

std::vector<Verdict> words_with(const std::vector<CaseResult>& results, const RunFinished& end = {},
                                const std::vector<DeviceIdentity>& devices = three_devices()) {
  std::vector<Verdict> words;
  for (const DeviceVerdict& one : verdicts_with(results, end, devices)) words.push_back(one.verdict);
  return words;
}

TEST(VerdictText, IsTheWordOfTheResultSchema) {
  EXPECT_EQ(to_text(passed), "passed");
  EXPECT_EQ(to_text(failed), "failed");
  EXPECT_EQ(to_text(not_judged), "not_judged");
}

TEST(SeveralDevices, AnUnfinishedPairIsMissingOnBoth) {
  RunFinished end;
  end.not_run = {{.name = "a.pair", .devices = {0, 2}}, {.name = "a.b", .devices = {2}}};
  end.counts.not_run = 2;
  EXPECT_THAT(words_with({}, end), ElementsAre(not_judged, passed, not_judged));
  const std::vector<DeviceVerdict> all = verdicts_with({}, end);
  EXPECT_EQ(all[0].counts.not_run, 1);
  EXPECT_EQ(all[1].counts.not_run, 0);
  EXPECT_EQ(all[2].counts.not_run, 2);
}

TEST(SeveralDevices, RepetitionsThatMayLackAreNoneThatADeviceLacks) {
  RunFinished end;
  end.counts.not_run = 5;
  EXPECT_THAT(words_with({}, end), ElementsAre(not_judged, not_judged, not_judged));
  end.may_lack_repetitions = true;
  EXPECT_THAT(words_with({}, end), ElementsAre(passed, passed, passed));
  end.not_run = {{.name = "a.b", .devices = {1}}};
  EXPECT_THAT(words_with({}, end), ElementsAre(passed, not_judged, passed)) << "what is named lacks all the same";
}

TEST(SeveralDevices, EachEndOfAPairCountsOnBoth) {
  for (const Outcome outcome : {Outcome::fail, Outcome::crash, Outcome::hang}) {
    EXPECT_THAT(words_with({ended_on("a.pair", {1, 2}, outcome)}), ElementsAre(passed, failed, failed))
        << to_text(outcome);
  }
  const std::vector<DeviceVerdict> broken = verdicts_with({ended_on("a.pair", {1, 2}, Outcome::error)});
  EXPECT_EQ(broken[0].verdict, passed);
  for (const std::size_t device : {std::size_t{1}, std::size_t{2}}) {
    EXPECT_EQ(broken[device].verdict, not_judged);
    EXPECT_EQ(broken[device].counts, (Counts{.pass = 1, .error = 1}));
    EXPECT_THAT(broken[device].unjudged, ElementsAre("a.pair"));
    EXPECT_THAT(broken[device].failures, ElementsAre(find_failure_kind("not_judged")));
  }
}

TEST(SeveralDevices, APassOfAPairIsEvidenceOfBoth) {
  DeviceVerdicts verdicts;
  verdicts.add(ended_on("a.pair", {0, 2}, Outcome::pass));
  std::vector<Verdict> words;
  for (const DeviceVerdict& one : verdicts.of(three_devices(), {})) words.push_back(one.verdict);
  EXPECT_THAT(words, ElementsAre(passed, not_judged, passed));
}

TEST(SeveralDevices, ASkipForWantOfTimeIsNotJudged) {
  CaseResult left_out = ended_on("a.pair", {0, 1}, Outcome::skip);
  EXPECT_THAT(words_with({left_out}), ElementsAre(passed, passed, passed));
  left_out.mismatches = {{"run_deadline", "", "", "rule", std::string(find_failure_kind(run_deadline_failure)->code)}};
  EXPECT_THAT(words_with({left_out}), ElementsAre(not_judged, not_judged, passed));
  EXPECT_THAT(verdicts_with({left_out})[1].unjudged, ElementsAre("a.pair"));
}

TEST(SeveralDevices, OneThatCannotBeUsedHasNotPassed) {
  std::vector<DeviceIdentity> devices = three_devices();
  devices[1].problem = devices[2].problem = "CUDA does not start";
  EXPECT_THAT(words_with({ended_on("a.b", {2}, Outcome::fail)}, {}, devices), ElementsAre(passed, not_judged, failed));
}

TEST(SeveralDevices, SuspectsMayBeNamedInAnyWay) {
  for (const char* name : {"5", "GPU-b", "0000:31:00.0", "00000000:31:00.0"}) {
    const std::vector<DeviceVerdict> all = verdicts_with({failed_on({0, 1, 2}, "memory_mismatch", {name})});
    EXPECT_EQ(all[0].verdict, passed) << name;
    EXPECT_EQ(all[1].verdict, failed) << name;
    EXPECT_EQ(all[2].verdict, passed) << name;
    EXPECT_THAT(all[2].failed_by_others, ElementsAre("nccl.pairs")) << name;
  }
  EXPECT_THAT(words_with({failed_on({0, 1, 2}, "memory_mismatch", {"GPU-a", "6"})}),
              ElementsAre(failed, passed, failed));
  EXPECT_THAT(words_with({failed_on({0, 1}, "memory_mismatch", {"1"})}), ElementsAre(failed, failed, passed))
      << "the driver counts from 4, so that nobody is meant";
  EXPECT_THAT(words_with({failed_on({0, 1}, "memory_mismatch", {"GPU-c"})}), ElementsAre(failed, failed, passed))
      << "who had no part in it is none of those that answer for it";
}

TEST(SeveralDevices, SuspicionsOfAPassOrOfAWaivedFailureCountForNothing) {
  CaseResult passing = failed_on({0, 1, 2}, "memory_mismatch", {"GPU-b"});
  passing.outcome = Outcome::pass;
  CaseResult all_reduce = failed_on({0, 1, 2}, "memory_mismatch");
  all_reduce.name = "nccl.all_reduce";
  EXPECT_THAT(words_with({passing, all_reduce}), ElementsAre(failed, failed, failed));
  CaseResult waived = failed_on({0, 1, 2}, "memory_mismatch", {"GPU-b"});
  waived.waiver = Waiver{};
  EXPECT_THAT(words_with({waived, all_reduce}), ElementsAre(failed, failed, failed));
}

TEST(SeveralDevices, AFailureOnOneDeviceIsItsOwnWhateverItSuspects) {
  EXPECT_THAT(words_with({failed_on({0}, "memory_mismatch", {"GPU-b"})}), ElementsAre(failed, passed, passed));
}

/// Device 1 fails by both, device 2 by the second alone.
TEST(SeveralDevices, AreFailedByEachComparisonThatTheyDifferIn) {
  const auto compared = [](const char* key, const char* failure, const std::vector<std::string>& verdicts) {
    Comparison comparison;
    comparison.case_name = "gemm.bf16";
    comparison.key = key;
    comparison.failure = find_failure_kind(failure)->code;
    for (const std::string& verdict : verdicts) {
      comparison.values.push_back({.device = static_cast<int>(comparison.values.size()), .verdict = verdict});
    }
    return comparison;
  };
  RunFinished end;
  end.comparisons = {compared("tflops", "slower_than_peers", {"pass", "fail", "warn"}),
                     compared("digest", "odd_digest", {"pass", "fail", "fail"})};
  const std::vector<DeviceVerdict> all = verdicts_with({}, end);
  EXPECT_EQ(all[0].verdict, passed);
  EXPECT_THAT(all[0].failures, IsEmpty());
  EXPECT_THAT(all[1].failed_comparisons, ElementsAre("gemm.bf16.digest", "gemm.bf16.tflops"));
  EXPECT_THAT(all[1].failures,
              testing::UnorderedElementsAre(find_failure_kind("odd_digest"), find_failure_kind("slower_than_peers")));
  EXPECT_THAT(all[2].failed_comparisons, ElementsAre("gemm.bf16.digest"));
  EXPECT_THAT(all[2].failures, ElementsAre(find_failure_kind("odd_digest")));
  EXPECT_EQ(all[2].verdict, failed);
  end.comparisons[1].values[2].waiver = Waiver{};
  EXPECT_THAT(words_with({}, end), ElementsAre(passed, failed, passed));
}

TEST(SeveralDevices, KindsOfOneSeverityAreInTheOrderOfTheirCodes) {
  CaseResult one = failed_on({0}, "nvlink_errors");
  one.mismatches.push_back({"key", "0", "1", "math", "GC2001"});
  one.mismatches.push_back({"key", "0", "1", "math", "GC3001"});
  CaseResult other = failed_on({0}, "GC2001");
  other.name = "a.b";
  const std::vector<DeviceVerdict> all = verdicts_with({one, other});
  std::vector<std::string_view> codes;
  for (const FailureKind* kind : all[0].failures) codes.push_back(kind->code);
  EXPECT_EQ(codes.size(), 3U) << "each once";
  for (std::size_t i = 1; i < all[0].failures.size(); ++i) {
    const FailureKind& before = *all[0].failures[i - 1];
    const FailureKind& after = *all[0].failures[i];
    EXPECT_TRUE(before.severity > after.severity || (before.severity == after.severity && before.code < after.code))
        << before.code << " " << after.code;
  }
}

TEST(SeveralDevices, OfARunWithoutResultsNothingIsKnown) {
  const DeviceVerdicts none;
  for (const DeviceVerdict& one : none.of(three_devices(), {})) {
    EXPECT_EQ(one.verdict, not_judged);
    EXPECT_EQ(one.counts, Counts{});
    EXPECT_EQ(one.recovery, nullptr);
  }
  EXPECT_FALSE(none.of_machine(three_devices(), {}));
}

}  // namespace
}  // namespace gpucheck::harness
