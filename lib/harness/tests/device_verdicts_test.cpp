#include "harness/run/device_verdicts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gpucheck::harness {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::vector<std::int64_t>;

/// The driver's numbers are not the run's: `--device cuda:4,5,6` has devices 0 to 2.
constexpr int first_ordinal = 4;

std::vector<DeviceIdentity> devices(int count) {
  std::vector<DeviceIdentity> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    DeviceIdentity& one = all[static_cast<std::size_t>(i)];
    one.index = i;
    one.ordinal = first_ordinal + i;
  }
  return all;
}

CaseResult result(const char* name, std::vector<int> on, Outcome outcome) {
  CaseResult one;
  one.name = name;
  one.devices = std::move(on);
  one.outcome = outcome;
  return one;
}

CaseResult slow(const char* name, std::vector<int> on, Numbers suspects = {}) {
  CaseResult one = result(name, std::move(on), Outcome::fail);
  one.mismatches = {{"bus_gbps", "at least 225", "12", "vendor", "too_slow"}};
  one.observations = {{"suspects", suspects}};
  return one;
}

CaseResult wrong(const char* name, std::vector<int> on, Numbers suspects = {}) {
  CaseResult one = slow(name, std::move(on), std::move(suspects));
  one.mismatches.push_back({"wrong_elements", "0", "3", "math", "memory_mismatch"});
  return one;
}

std::vector<DeviceVerdict> verdicts_on(const std::vector<CaseResult>& results, int device_count,
                                       const RunFinished& end = {}) {
  DeviceVerdicts verdicts;
  for (const CaseResult& one : results) verdicts.add(one);
  return verdicts.of(devices(device_count), end);
}

std::vector<Verdict> words_on(const std::vector<CaseResult>& results, int device_count, const RunFinished& end = {}) {
  std::vector<Verdict> words;
  for (const DeviceVerdict& one : verdicts_on(results, device_count, end)) words.push_back(one.verdict);
  return words;
}

TEST(DeviceVerdicts, AreOfEachDeviceByItself) {
  const std::vector<DeviceVerdict> all =
      verdicts_on({result("a.a", {0}, Outcome::pass), result("a.a", {1}, Outcome::pass), wrong("a.b", {1}),
                   result("a.a", {2}, Outcome::skip), result("a.c", {0}, Outcome::skip),
                   result("a.a", {3}, Outcome::pass), result("a.b", {3}, Outcome::error)},
                  5);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_EQ(all[0].verdict, Verdict::passed);
  EXPECT_EQ(all[0].counts, (Counts{.pass = 1, .skip = 1}));
  EXPECT_EQ(all[1].verdict, Verdict::failed);
  EXPECT_THAT(all[1].failed, ElementsAre("a.b"));
  EXPECT_EQ(all[2].verdict, Verdict::not_judged) << "a skip shows nothing";
  EXPECT_EQ(all[3].verdict, Verdict::not_judged);
  EXPECT_THAT(all[3].unjudged, ElementsAre("a.b"));
  EXPECT_THAT(all[3].failures, ElementsAre(find_failure_kind("not_judged")));
  EXPECT_EQ(all[4].verdict, Verdict::not_judged) << "no case ran on it";
  EXPECT_EQ(all[4].device, 4);
}

/// A pair's failure does not say which of the two needs it; the driver's answer for each does.
TEST(DeviceVerdicts, HaveWhatTheDriverAsksForOfEachDevice) {
  CaseResult pair = wrong("nccl.pairs", {0, 1});
  pair.telemetry = {{.device = 0, .recovery_action = 0}, {.device = 1, .recovery_action = 2}};
  CaseResult before = result("a.a", {1}, Outcome::pass);
  before.telemetry = {{.device = 1, .recovery_action = 3}};
  CaseResult silent = result("a.a", {2}, Outcome::pass);
  silent.telemetry = {{.device = 2}};
  const std::vector<DeviceVerdict> all = verdicts_on({before, pair, silent}, 3);
  EXPECT_EQ(all[0].recovery, nullptr);
  EXPECT_EQ(all[1].recovery, find_failure_kind("reboot_required")) << "the most severe";
  EXPECT_EQ(all[2].recovery, nullptr);
  EXPECT_EQ(verdicts_on({before}, 2)[1].recovery, find_failure_kind("drain_required"));
}

TEST(DeviceVerdicts, FailByAnyUnhappyEndOfACase) {
  for (const Outcome outcome : {Outcome::fail, Outcome::crash, Outcome::hang}) {
    EXPECT_THAT(
        words_on({result("a.a", {0}, Outcome::pass), result("a.b", {0}, outcome), result("a.c", {0}, Outcome::error)},
                 1),
        ElementsAre(Verdict::failed))
        << to_text(outcome);
  }
}

TEST(DeviceVerdicts, TellWhatIsAgainstADeviceTheMostSevereFirst) {
  CaseResult crash = result("b.b", {0}, Outcome::crash);
  const DeviceVerdict one = verdicts_on({slow("a.a", {0}), crash, crash, result("a.c", {0}, Outcome::error)}, 1)[0];
  EXPECT_THAT(one.failed, ElementsAre("a.a", "b.b"));
  EXPECT_THAT(one.failures,
              ElementsAre(find_failure_kind("crash"), find_failure_kind("too_slow"), find_failure_kind("not_judged")));
}

TEST(DeviceVerdicts, NeedAResultOfAllThatWasSelected) {
  const std::vector<CaseResult> passes{result("a.a", {0}, Outcome::pass), result("a.a", {1}, Outcome::pass)};
  RunFinished end;
  end.not_run = {{.name = "a.b", .devices = {1}}};
  end.counts.not_run = 1;
  EXPECT_THAT(words_on(passes, 2, end), ElementsAre(Verdict::passed, Verdict::not_judged));
  EXPECT_EQ(verdicts_on(passes, 2, end)[1].counts.not_run, 1);
  end.counts.not_run = 2;  // and one of a later repetition, on either
  EXPECT_THAT(words_on(passes, 2, end), ElementsAre(Verdict::not_judged, Verdict::not_judged));
}

TEST(DeviceVerdicts, SetAWaivedFailureAsideButAreNoPassWithoutOne) {
  CaseResult waived = wrong("a.b", {0});
  waived.waiver = {"a.*", "any", "known", "node team", "2026-12-31"};
  EXPECT_THAT(words_on({waived}, 1), ElementsAre(Verdict::not_judged));
  EXPECT_THAT(words_on({waived, result("a.a", {0}, Outcome::pass)}, 1), ElementsAre(Verdict::passed));
}

TEST(DeviceVerdicts, CountAFailureOfSeveralAgainstAllOfThem) {
  const std::vector<DeviceVerdict> all = verdicts_on(
      {result("a.a", {0}, Outcome::pass), result("a.a", {2}, Outcome::pass), wrong("nccl.all_reduce", {0, 1})}, 3);
  EXPECT_THAT(all[0].failed, ElementsAre("nccl.all_reduce"));
  EXPECT_THAT(all[1].failed, ElementsAre("nccl.all_reduce"));
  EXPECT_EQ(all[2].verdict, Verdict::passed);
}

std::vector<CaseResult> with_a_pass_on_each(std::vector<CaseResult> results, int device_count) {
  for (int i = 0; i < device_count; ++i) results.push_back(result("a.a", {i}, Outcome::pass));
  return results;
}

TEST(DeviceVerdicts, CountAFailureOfSeveralAgainstThoseThatItSuspects) {
  const std::vector<DeviceVerdict> all =
      verdicts_on(with_a_pass_on_each({slow("nccl.pairs", {0, 1, 2}, {first_ordinal + 1})}, 3), 3);
  EXPECT_EQ(all[0].verdict, Verdict::passed);
  EXPECT_THAT(all[0].failed, IsEmpty());
  EXPECT_THAT(all[0].failures, IsEmpty());
  EXPECT_THAT(all[0].failed_by_others, ElementsAre("nccl.pairs"));
  EXPECT_EQ(all[1].verdict, Verdict::failed);
  EXPECT_THAT(all[1].failed, ElementsAre("nccl.pairs"));
  EXPECT_THAT(all[1].failed_by_others, IsEmpty());
}

TEST(DeviceVerdicts, CountAFailureAgainstItsOwnSuspectsAndNotAnothers) {
  const std::vector<DeviceVerdict> all =
      verdicts_on({slow("nccl.pairs", {0, 1, 2}, {first_ordinal + 1}),
                   slow("bandwidth.peer_copy", {0, 1, 2}, {first_ordinal + 2}), slow("nccl.all_reduce", {0, 1, 2})},
                  3);
  EXPECT_THAT(all[0].failed, IsEmpty());
  EXPECT_THAT(all[1].failed, ElementsAre("nccl.all_reduce", "nccl.pairs"));
  EXPECT_THAT(all[2].failed, ElementsAre("bandwidth.peer_copy", "nccl.all_reduce"));
}

TEST(DeviceVerdicts, ExplainOneCasesFailureByAnothersSuspicion) {
  using enum Verdict;
  const auto words = [](CaseResult pairs, CaseResult collective) {
    return words_on(with_a_pass_on_each({std::move(pairs), std::move(collective)}, 3), 3);
  };
  const Numbers second{first_ordinal + 1};
  EXPECT_THAT(words(slow("nccl.pairs", {0, 1, 2}, second), slow("nccl.all_reduce", {0, 1, 2})),
              ElementsAre(passed, failed, passed));
  EXPECT_THAT(words(wrong("nccl.pairs", {0, 1, 2}, second), wrong("nccl.all_reduce", {0, 1, 2})),
              ElementsAre(passed, failed, passed));
  EXPECT_THAT(words(wrong("nccl.pairs", {0, 1, 2}, second), slow("nccl.all_reduce", {0, 1, 2})),
              ElementsAre(passed, failed, passed));
  // That one is slow does not say who computed a wrong value.
  EXPECT_THAT(words(slow("nccl.pairs", {0, 1, 2}, second), wrong("nccl.all_reduce", {0, 1, 2})),
              ElementsAre(failed, failed, failed));
  EXPECT_THAT(words(slow("nccl.pairs", {0, 1, 2}, second), result("nccl.all_reduce", {0, 1, 2}, Outcome::hang)),
              ElementsAre(failed, failed, failed));
  // Who is suspected had no part in it.
  EXPECT_THAT(words(slow("nccl.pairs", {0, 1}, second), slow("nccl.all_reduce", {0, 2})),
              ElementsAre(failed, failed, failed));
}

TEST(DeviceVerdicts, NeverChargeOneDeviceWithWhatFailedOnAnotherAlone) {
  const std::vector<DeviceVerdict> all = verdicts_on(
      with_a_pass_on_each({slow("nccl.pairs", {0, 1, 2}, {first_ordinal + 1}), slow("gemm.bf16", {2})}, 3), 3);
  EXPECT_THAT(all[2].failed, ElementsAre("gemm.bf16"));
  EXPECT_THAT(all[1].failed, ElementsAre("nccl.pairs"));
}

TEST(DeviceVerdicts, TakeAllRepetitionsOfACaseTogether) {
  const std::vector<DeviceVerdict> all = verdicts_on(
      with_a_pass_on_each({wrong("nccl.pairs", {0, 1, 2}, {first_ordinal + 1}),
                           slow("nccl.pairs", {0, 1, 2}, {first_ordinal + 2}), wrong("nccl.all_reduce", {0, 1, 2})},
                          3),
      3);
  EXPECT_EQ(all[0].verdict, Verdict::passed);
  EXPECT_THAT(all[1].failed, ElementsAre("nccl.all_reduce", "nccl.pairs"));
  EXPECT_THAT(all[2].failed, ElementsAre("nccl.all_reduce", "nccl.pairs"));
  EXPECT_THAT(all[2].failures, ElementsAre(find_failure_kind("memory_mismatch"), find_failure_kind("too_slow")));
}

// -- the machine ---------------------------------------------------------------------------------

CaseResult about_machine(const char* name, Outcome outcome, std::vector<std::string> suspects = {}) {
  CaseResult one = result(name, {}, outcome);
  if (outcome == Outcome::fail) one.mismatches = {{"gpus_missing", "0", "1", "vendor", "missing_gpu"}};
  one.observations = {{"suspects", std::move(suspects)}};
  return one;
}

std::vector<DeviceIdentity> two_with_names() {
  std::vector<DeviceIdentity> two = devices(2);
  two[0].uuid = "GPU-a";
  two[0].pci_bus_id = "0000:3b:00.0";
  two[1].uuid = "GPU-b";
  two[1].pci_bus_id = "0000:3C:00.0";
  return two;
}

struct Verdicts {
  std::vector<DeviceVerdict> devices;
  std::optional<DeviceVerdict> machine;
};

Verdicts with_machine(const std::vector<CaseResult>& results, const RunFinished& end = {}) {
  DeviceVerdicts verdicts;
  for (const CaseResult& one : with_a_pass_on_each(results, 2)) verdicts.add(one);
  return {verdicts.of(two_with_names(), end), verdicts.of_machine(two_with_names(), end)};
}

TEST(DeviceVerdicts, OfTheMachineAreNoDevices) {
  const Verdicts all = with_machine({about_machine("health.inventory", Outcome::fail)});
  EXPECT_EQ(all.devices[0].verdict, Verdict::passed);
  EXPECT_EQ(all.devices[0].counts, (Counts{.pass = 1}));
  EXPECT_EQ(all.devices[1].verdict, Verdict::passed);
  ASSERT_TRUE(all.machine);
  EXPECT_EQ(all.machine->verdict, Verdict::failed);
  EXPECT_EQ(all.machine->device, whole_machine);
  EXPECT_THAT(all.machine->failed, ElementsAre("health.inventory"));
  EXPECT_THAT(all.machine->failures, ElementsAre(find_failure_kind("missing_gpu")));
}

TEST(DeviceVerdicts, OfTheMachineAreThereOnlyWhereACaseIsAboutIt) {
  EXPECT_FALSE(with_machine({}).machine);
  EXPECT_EQ(with_machine({about_machine("health.software", Outcome::pass)}).machine->verdict, Verdict::passed);
  EXPECT_EQ(with_machine({about_machine("health.software", Outcome::skip)}).machine->verdict, Verdict::not_judged);
  EXPECT_EQ(with_machine({about_machine("health.software", Outcome::error)}).machine->verdict, Verdict::not_judged);
  RunFinished end;
  end.not_run = {{.name = "health.software"}};
  end.counts.not_run = 1;
  const Verdicts unfinished = with_machine({}, end);
  EXPECT_EQ(unfinished.machine->verdict, Verdict::not_judged);
  EXPECT_EQ(unfinished.devices[0].verdict, Verdict::passed);
}

TEST(DeviceVerdicts, ChargeADeviceThatTheMachinesCaseNames) {
  for (const char* name : {"GPU-b", "00000000:3C:00.0", "0000:3c:00.0"}) {
    const Verdicts all = with_machine(
        {about_machine("health.inventory", Outcome::fail, {name}), about_machine("health.software", Outcome::pass)});
    EXPECT_EQ(all.devices[0].verdict, Verdict::passed) << name;
    EXPECT_EQ(all.devices[1].verdict, Verdict::failed) << name;
    EXPECT_THAT(all.devices[1].failures, ElementsAre(find_failure_kind("missing_gpu")));
    EXPECT_EQ(all.machine->verdict, Verdict::passed) << name;
    EXPECT_THAT(all.machine->failed_by_others, ElementsAre("health.inventory")) << name;
  }
  const Verdicts unknown = with_machine({about_machine("health.inventory", Outcome::fail, {"0000:ee:00.0"})});
  EXPECT_EQ(unknown.machine->verdict, Verdict::failed);
  EXPECT_EQ(unknown.devices[1].verdict, Verdict::passed);
}

}  // namespace
}  // namespace gpucheck::harness
