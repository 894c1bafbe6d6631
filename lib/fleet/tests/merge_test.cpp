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
