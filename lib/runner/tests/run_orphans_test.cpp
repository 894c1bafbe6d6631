#include <algorithm>
#include <gtest/gtest.h>

#include "runner/supervision/orphans.hpp"
#include "test_run.hpp"

/// A run with results that are there before it begins: golden files that lost their case.
namespace gpucheck::runner::testing {
namespace {

using harness::CaseResult;
using harness::Outcome;
using Lines = std::vector<std::string>;

TEST(Run, GoldensThatLostTheirCaseAreFound) {
  const TestRun run;
  EXPECT_EQ(orphan_goldens(run.registry, run.goldens), (Lines{"plain.gone"}));
}

/// Two golden files without a case, as results.
std::vector<CaseResult> two_orphans(const TestRun& run) {
  return {orphan_result("lost.a", run.options.settings), orphan_result("lost.b", run.options.settings)};
}

TEST(Run, WhatIsReadyIsToldFirstAndCounted) {
  TestRun run;
  run.options.jobs = 1;
  run.plan_options.repeat = 2;
  run.options.retries = 3;
  run.options.settings.seed = 4;
  run.options.settings.parameters = {{"size", std::int64_t{1}}};
  EXPECT_EQ(run.run_plan(run.plan({"plain.pass"}, two_orphans(run))).exit_code, harness::ExitCode::failed);
  EXPECT_EQ(run.sink.lines,
            (Lines{"started", "case lost.a", "fail lost.a", "case lost.b", "fail lost.b", "case plain.pass",
                   "pass plain.pass", "case plain.pass", "pass plain.pass", "finished"}));
  ASSERT_EQ(run.sink.started.selected.size(), 4U);
  EXPECT_EQ(run.sink.started.selected[1], (harness::SelectedCase{.name = "lost.b"})) << "on no device";
  EXPECT_EQ(run.sink.totals, (std::vector<std::size_t>{4, 4, 4, 4}));
  EXPECT_EQ(run.sink.finished.counts.fail, 2);
  EXPECT_EQ(run.sink.finished.exit_code, 1);
  EXPECT_TRUE(run.result("lost.b").devices.empty());
  EXPECT_EQ(run.result("lost.b").rerun_command, "gpucheck run lost.b --device sim --seed 4");
}

// More than one round of them.
TEST(Run, WhatIsReadyIsToldOnceHoweverOftenTheRestRuns) {
  constexpr int repeat = 1'100;
  TestRun run;
  run.options.jobs = 1;
  run.plan_options.repeat = repeat;
  run.run_plan(run.plan({"plain.pass"}, two_orphans(run)));
  EXPECT_EQ(run.sink.finished.counts, (harness::Counts{.pass = repeat, .fail = 2}));
  EXPECT_EQ(run.sink.totals, std::vector<std::size_t>(repeat + 2, repeat + 2));
  EXPECT_EQ(std::ranges::count(run.sink.lines, "case plain.pass"), repeat);
  EXPECT_TRUE(run.not_run().empty());
}

TEST(Run, AnOrphanIsNoSkip) {
  TestRun run;
  run.options.skip_exit_code = 77;
  EXPECT_EQ(static_cast<int>(run.run({"plain.skip"}).exit_code), 77);
  EXPECT_EQ(run.run_plan(run.plan({"plain.skip"}, two_orphans(run))).exit_code, harness::ExitCode::failed);
  EXPECT_EQ(run.sink.finished.exit_code, 1);
  EXPECT_EQ(run.sink.finished.counts, (harness::Counts{.fail = 2, .skip = 1}));
  run.options.waivers = {{"lost.*", "any", "known", "me", "2999-12-31"}};
  EXPECT_EQ(run.run_plan(run.plan({"plain.skip"}, two_orphans(run))).exit_code, harness::ExitCode::not_judged)
      << "waived, it is still no skip";
  run.options.waivers.clear();
  run.options.fail_fast = true;
  EXPECT_EQ(run.run_plan(run.plan({"plain.skip"}, two_orphans(run))).exit_code, harness::ExitCode::failed);
}

TEST(Run, AnOrphanRunsAgainWithoutWhatNoCaseDeclares) {
  harness::RunSettings settings{.device = "sim", .seed = 4, .fault = "lost_event", .golden_directory = "g"};
  settings.parameters = {{"size", std::int64_t{1}}};
  EXPECT_EQ(orphan_result("lost.a", settings).rerun_command, "gpucheck run lost.a --device sim --seed 4 --golden g");
  EXPECT_EQ(orphan_result("lost.a", settings).outcome, Outcome::fail);
}

TEST(Run, WhatIsReadyCanBeAll) {
  TestRun run;
  EXPECT_EQ(run.run_plan(run.plan({}, two_orphans(run))).exit_code, harness::ExitCode::failed);
  EXPECT_EQ(run.outcomes(), (Lines{"fail lost.a", "fail lost.b"}));
}

TEST(Run, FailFastStopsAtWhatIsReady) {
  TestRun run;
  run.options.fail_fast = true;
  EXPECT_EQ(run.run_plan(run.plan({"plain.pass"}, two_orphans(run))).exit_code, harness::ExitCode::failed);
  EXPECT_EQ(run.outcomes(), (Lines{"fail lost.a"}));
  EXPECT_EQ(run.not_run(), (Lines{"lost.b", "plain.pass"}));
  EXPECT_TRUE(run.sink.finished.running.empty());
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Run, WhatIsReadyCanBeWaived) {
  TestRun run;
  run.options.fail_fast = true;
  run.options.waivers = {{"lost.*", "any", "known", "me", "2999-12-31"}};
  EXPECT_EQ(run.run_plan(run.plan({"plain.pass"}, two_orphans(run))).exit_code, harness::ExitCode::passed);
  EXPECT_EQ(run.sink.finished.counts.waived, 2);
  EXPECT_EQ(run.run_plan(run.plan({}, two_orphans(run))).exit_code, harness::ExitCode::not_judged) << "nothing passed";
}

}  // namespace
}  // namespace gpucheck::runner::testing
