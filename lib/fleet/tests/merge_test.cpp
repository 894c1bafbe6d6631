#include "fleet/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace gpucheck::fleet {
namespace {

using harness::ExitCode;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A run of gemm.bf16 that passed on each of the devices, with that digest.
RunRecord run_on(const std::string& host, const std::vector<std::pair<int, std::string>>& devices,
                 const std::string& digest = "d") {
  RunRecord run;
  run.file = host + ".journal";
  run.start.host_name = host;
  run.start.version = "1";
  for (const auto& [ordinal, uuid] : devices) {
    harness::DeviceIdentity& device = run.start.devices.emplace_back();
    device.index = static_cast<int>(run.start.devices.size()) - 1;
    device.ordinal = ordinal;
    device.kind = "cuda";
    device.name = "NVIDIA H100";
    device.uuid = uuid;
    run.start.selected.push_back({.name = "gemm.bf16", .devices = {device.index}, .repetition = 0});
    harness::CaseResult& result = run.results.emplace_back();
    result.name = "gemm.bf16";
    result.devices = {device.index};
    result.observations = {{"digest", digest}};
    result.outcome = harness::Outcome::pass;
  }
  run.end.counts.pass = static_cast<int>(devices.size());
  return run;
}

TEST(Merge, CallsARunByItsHost) {
  EXPECT_THAT(merge({run_on("a", {{0, "GPU-1"}}), run_on("b", {{0, "GPU-2"}})}, {}).labels, ElementsAre("a", "b"));
}

TEST(Merge, TellsRunsOfOneHostApartByTheirDevices) {
  const std::vector<RunRecord> other_numbers{run_on("a", {{0, "GPU-1"}}), run_on("a", {{1, "GPU-2"}, {2, "GPU-3"}})};
  EXPECT_THAT(merge(other_numbers, {}).labels, ElementsAre("a.cuda0", "a.cuda1-2"));
  const std::vector<RunRecord> same_numbers{run_on("a", {{0, "GPU-1"}}), run_on("a", {{0, "GPU-2"}})};
  EXPECT_THAT(merge(same_numbers, {}).labels, ElementsAre("a.cuda0.GPU-1", "a.cuda0.GPU-2"));
}

TEST(Merge, RejectsTwoVerdictsOnOneCaseAndDevice) {
  RunRecord again = run_on("a", {{0, "GPU-1"}});
  again.file = "again.journal";
  try {
    static_cast<void>(merge({run_on("a", {{0, "GPU-1"}}), again}, {}));
    FAIL() << "accepted";
  } catch (const UsageError& problem) {
    EXPECT_THAT(problem.what(), AllOf(HasSubstr("a.journal and again.journal"), HasSubstr("gemm.bf16 on a, GPU-1")));
  }
}

TEST(Merge, NamesDevicesWithoutUuidByTheirAddress) {
  RunRecord first = run_on("a", {{0, ""}});
  first.start.devices[0].pci_bus_id = "0000:3b:00.0";
  RunRecord second = run_on("a", {{0, ""}});
  second.start.devices[0].pci_bus_id = "0000:3c:00.0";
  second.start.selected[0].name = "gemm.fp32";
  EXPECT_THAT(merge({first, second}, {}).labels, ElementsAre("a.cuda0.0000:3b:00-0", "a.cuda0.0000:3c:00-0"));
  const std::vector<RunRecord> pairs{run_on("a", {{0, "GPU-1"}, {1, "GPU-2"}}),
                                     run_on("a", {{0, "GPU-3"}, {1, "GPU-4"}})};
  EXPECT_THAT(merge(pairs, {}).labels, ElementsAre("a.cuda0-1.GPU-1_GPU-2", "a.cuda0-1.GPU-3_GPU-4"));
}

TEST(Merge, TellsRunsApartOnlyWhereAHostHasSeveralKindsOfThem) {
  RunRecord other_case = run_on("a", {{0, "GPU-1"}});
  other_case.start.selected[0].name = "gemm.fp32";
  EXPECT_THAT(merge({run_on("a", {{0, "GPU-1"}}), other_case, run_on("b", {{3, "GPU-9"}})}, {}).labels,
              ElementsAre("a", "a", "b"));
}

TEST(Merge, AcceptsWhatIsNotOnTheSameDevices) {
  const auto accepted = [](const RunRecord& second) {
    RunRecord first = run_on("a", {{0, "GPU-1"}, {1, "GPU-2"}});
    first.start.selected = {{.name = "nccl.pairs", .devices = {0, 1}}};
    try {
      static_cast<void>(merge({first, second}, {}));
      return std::string("accepted");
    } catch (const UsageError& problem) {
      return std::string(problem.what());
    }
  };
  RunRecord second = run_on("a", {{0, "GPU-1"}, {1, "GPU-2"}});
  second.start.selected = {{.name = "nccl.pairs", .devices = {0}}};
  EXPECT_EQ(accepted(second), "accepted") << "on one of the pair";
  second.start.selected = {{.name = "nccl.pairs", .devices = {0, 1}}};
  EXPECT_THAT(accepted(second), HasSubstr("both hold nccl.pairs on a, GPU-1 and GPU-2"));
  second.start.host_name = "b";
  EXPECT_EQ(accepted(second), "accepted") << "on another host";
  RunRecord repeated = run_on("a", {{0, "GPU-1"}});
  repeated.start.selected.push_back({.name = "gemm.bf16", .devices = {0}, .repetition = 1});
  EXPECT_NO_THROW(static_cast<void>(merge({repeated}, {}))) << "a repetition of one run";
}

TEST(Merge, TakesEachExitCodeForWhatItMeans) {
  for (const auto& [code, verdict] : {std::pair(0, ExitCode::passed),
                                      {1, ExitCode::failed},
                                      {3, ExitCode::not_judged},
                                      {2, ExitCode::not_judged},
                                      {77, ExitCode::not_judged}}) {
    RunRecord run = run_on("a", {{0, "GPU-1"}});
    run.end.exit_code = code;
    EXPECT_THAT(merge({run, run_on("b", {{0, "GPU-2"}})}, {}).verdicts, ElementsAre(verdict, ExitCode::passed)) << code;
  }
}

TEST(Merge, IsJudgedByTheWorstRun) {
  const RunRecord passed = run_on("a", {{0, "GPU-1"}});
  RunRecord failed = run_on("b", {{0, "GPU-2"}});
  failed.end.exit_code = 1;
  RunRecord interrupted = run_on("c", {{0, "GPU-3"}});
  interrupted.end.exit_code = 143;
  interrupted.end.interrupted_by_signal = 15;
  RunRecord skipped = run_on("d", {{0, "GPU-4"}});
  skipped.end.counts = {.skip = 1};

  EXPECT_EQ(merge({passed}, {}).verdict, ExitCode::passed);
  EXPECT_EQ(merge({passed, interrupted}, {}).verdict, ExitCode::not_judged);
  EXPECT_EQ(merge({passed, skipped}, {}).verdict, ExitCode::not_judged);
  const Merged all = merge({interrupted, failed, passed, skipped}, {});
  EXPECT_EQ(all.verdict, ExitCode::failed);
  EXPECT_THAT(all.verdicts,
              ElementsAre(ExitCode::not_judged, ExitCode::failed, ExitCode::passed, ExitCode::not_judged));
}

TEST(Merge, FailsTheRunWhoseDigestDiffers) {
  const Merged merged =
      merge({run_on("a", {{0, "GPU-1"}}), run_on("b", {{0, "GPU-2"}}, "other"), run_on("c", {{0, "GPU-3"}})}, {});
  EXPECT_THAT(merged.verdicts, ElementsAre(ExitCode::passed, ExitCode::failed, ExitCode::passed));
  EXPECT_EQ(merged.verdict, ExitCode::failed);
}

/// A waiver holds by the day on which the run of the device started.
TEST(Merge, AWaiverOfTheDeviceThatDiffersHolds) {
  using namespace std::chrono;
  const auto verdicts = [](const std::string& device, const std::string& expires) {
    std::vector<RunRecord> runs{run_on("a", {{0, "GPU-1"}}), run_on("b", {{0, "GPU-2"}}, "other"),
                                run_on("c", {{0, "GPU-3"}})};
    runs[0].start.start_time = sys_days{2026y / January / 1};
    runs[1].start.start_time = sys_days{2026y / June / 1};
    runs[2].start.start_time = sys_days{2026y / January / 1};
    return merge(runs, {harness::Waiver{"gemm.*", device, "known", "me", expires}}).verdicts;
  };
  EXPECT_THAT(verdicts("GPU-2", "2026-06-01"), ElementsAre(ExitCode::passed, ExitCode::passed, ExitCode::passed));
  EXPECT_THAT(verdicts("GPU-2", "2026-05-31"), ElementsAre(ExitCode::passed, ExitCode::failed, ExitCode::passed));
  EXPECT_THAT(verdicts("GPU-1", "2026-06-01"), ElementsAre(ExitCode::passed, ExitCode::failed, ExitCode::passed));
}

/// The second of the run's devices differs, and is found again among the GPUs of all runs.
TEST(Merge, FailsTheRunOfTheSecondDeviceThatDiffers) {
  RunRecord second = run_on("b", {{0, "GPU-2"}, {1, "GPU-3"}});
  second.results[1].observations = {{"digest", std::string("other")}};
  const Merged merged = merge({run_on("a", {{0, "GPU-1"}}), second}, {});
  EXPECT_THAT(merged.verdicts, ElementsAre(ExitCode::passed, ExitCode::failed));
  ASSERT_EQ(merged.across.comparisons.size(), 1U);
  EXPECT_EQ(merged.across.subjects.at(2).device.uuid, "GPU-3");
  EXPECT_EQ(merged.across.comparisons[0].values.at(2).verdict, "fail");
}

TEST(Merge, CountsWhatWasMeasuredAgain) {
  const auto speed = [](RunRecord run, double value) {
    run.results[0].observations.clear();
    run.results[0].measurements = {{.key = "gbps", .value = value, .verdict = "pass", .fail_below = 1, .source = "s"}};
    return run;
  };
  RunRecord slow = speed(run_on("a", {{1, "GPU-2"}}), 500);
  EXPECT_THAT(merge({speed(run_on("a", {{0, "GPU-1"}}), 1000), slow}, {}).verdicts,
              ElementsAre(ExitCode::passed, ExitCode::failed));
  slow.end.remeasured = {speed(run_on("a", {{1, "GPU-2"}}), 990).results[0]};
  EXPECT_THAT(merge({speed(run_on("a", {{0, "GPU-1"}}), 1000), slow}, {}).verdicts,
              ElementsAre(ExitCode::passed, ExitCode::passed));
}

TEST(Merge, TakesAnInterruptionForTheRunsOwn) {
  harness::RunFinished end;
  end.exit_code = 1;
  EXPECT_EQ(exit_code_of(end), 1);
  end.exit_code = 143;
  end.interrupted_by_signal = 15;
  EXPECT_EQ(exit_code_of(end), 3);
}

}  // namespace
}  // namespace gpucheck::fleet
