#include <gtest/gtest.h>
#include <sched.h>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "test_run.hpp"

/// What a run makes of cases that misbehave: the right outcome, the others unharmed,
/// nothing left behind.
namespace gpucheck::runner::testing {
namespace {

using harness::CaseResult;
using harness::Outcome;

/// Runs one case between two that behave, in one worker, and gives its result.
class Misbehaving : public ::testing::Test {
 protected:
  const CaseResult& run_between_good_ones(const std::string& name) {
    run_.options.jobs = 1;
    run_.run({"plain.pass", name, "plain.own_process_pass", "plain.process"});
    EXPECT_EQ(run_.summary.results.size(), 4U);
    EXPECT_EQ(run_.result("plain.pass").outcome, Outcome::pass);
    EXPECT_EQ(run_.result("plain.own_process_pass").outcome, Outcome::pass);
    EXPECT_EQ(run_.result("plain.process").outcome, Outcome::pass);
    EXPECT_TRUE(run_.folder.no_process_left());
    return run_.result(name);
  }

  TestRun run_;
};

TEST_F(Misbehaving, ACrashIsTheSignalAndKeepsWhatWasSeenBefore) {
  const CaseResult& result = run_between_good_ones("crash.segfault");
  EXPECT_EQ(result.outcome, Outcome::crash);
  EXPECT_EQ(result.signal, 11);
  EXPECT_FALSE(result.exit_code);
  EXPECT_EQ(result.reason, "killed by signal 11 (SIGSEGV)");
  EXPECT_EQ(observed(result, "before"), "true");
  EXPECT_EQ(result.output_tail, "last words on stdout\n");
  EXPECT_EQ(result.error_tail, "last words on stderr\n");
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::failed);
}

TEST_F(Misbehaving, AnAbortIsACrash) {
  const CaseResult& result = run_between_good_ones("crash.abort");
  EXPECT_EQ(result.outcome, Outcome::crash);
  EXPECT_EQ(result.signal, 6);
}

TEST_F(Misbehaving, BeingKilledIsACrash) {
  const CaseResult& result = run_between_good_ones("crash.kill");
  EXPECT_EQ(result.outcome, Outcome::crash);
  EXPECT_EQ(result.signal, 9);
}

TEST_F(Misbehaving, AnExitIsACrashWithItsCode) {
  const CaseResult& result = run_between_good_ones("crash.exit7");
  EXPECT_EQ(result.outcome, Outcome::crash);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_FALSE(result.signal);
}

TEST_F(Misbehaving, AnExitThatClaimsSuccessIsStillACrash) {
  const CaseResult& result = run_between_good_ones("crash.exit0");
  EXPECT_EQ(result.outcome, Outcome::crash);
  EXPECT_EQ(result.exit_code, 0);
}

TEST_F(Misbehaving, AHangIsEndedAtItsDeadline) {
  const CaseResult& result = run_between_good_ones("hang.deaf");
  EXPECT_EQ(result.outcome, Outcome::hang);
  EXPECT_EQ(result.reason.find("not finished within its deadline of 1500 ms"), 0U) << result.reason;
  EXPECT_EQ(observed(result, "before"), "true");
  EXPECT_GE(result.duration_ms, 1500);
  EXPECT_LT(run_.seconds, 30);
}

/// Leaves one processor to this process and those it starts, and keeps it busy.
class OverloadedProcessor {
 public:
  OverloadedProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 6; ++i) {
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
        }
      });
    }
  }
  ~OverloadedProcessor() {
    threads_.clear();
    ::sched_setaffinity(0, sizeof before_, &before_);
  }
  OverloadedProcessor(const OverloadedProcessor&) = delete;
  OverloadedProcessor& operator=(const OverloadedProcessor&) = delete;

 private:
  cpu_set_t before_{};
  std::vector<std::jthread> threads_;
};

TEST_F(Misbehaving, ADeadlineIsExtendedByTheTimeWithoutAProcessor) {
  const OverloadedProcessor overloaded;
  run_.run({"hang.overloaded"});
  const CaseResult& result = run_.result("hang.overloaded");
  EXPECT_EQ(result.outcome, Outcome::pass) << result.reason;
  EXPECT_GT(result.duration_ms, 600);
  EXPECT_GT(result.deadline_extension_ms, 0);
}

TEST_F(Misbehaving, AHangIsNoLessOneOnAnOverloadedProcessor) {
  const OverloadedProcessor overloaded;
  run_.run({"hang.deaf"});
  EXPECT_EQ(run_.result("hang.deaf").outcome, Outcome::hang);
  EXPECT_LT(run_.seconds, 30);
}

TEST_F(Misbehaving, AnyAmountOfOutputIsTakenAndItsEndKept) {
  const CaseResult& result = run_between_good_ones("output.flood");
  EXPECT_EQ(result.outcome, Outcome::pass) << result.reason;
  EXPECT_EQ(result.output_tail.size(), 65536U);
  EXPECT_TRUE(result.output_tail.ends_with("xxthe end\n"));
  EXPECT_EQ(result.error_tail, std::string(65536, 'x'));
  EXPECT_EQ(run_.result("plain.process").output_tail, "");
}

TEST_F(Misbehaving, GarbageOnStdoutFoolsNobody) {
  const CaseResult& result = run_between_good_ones("output.garbage");
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_EQ(result.mismatches.size(), 1U);
  EXPECT_NE(result.output_tail.find("\x1b[31m"), std::string::npos);
}

TEST_F(Misbehaving, AClosedResultPipeCannotBeJudged) {
  const CaseResult& result = run_between_good_ones("channel.close");
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_EQ(result.reason, "the case's process closed its result pipe before it had finished");
}

TEST_F(Misbehaving, AClosedResultPipeIsNoticedLongBeforeTheDeadline) {
  run_.options.timeout = std::chrono::hours(1);
  const CaseResult& result = run_between_good_ones("channel.close_and_stay");
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_EQ(result.reason, "the case's process closed its result pipe before it had finished");
  EXPECT_LT(run_.seconds, 30);
}

TEST_F(Misbehaving, GarbageInTheResultPipeCannotBeJudged) {
  for (const char* name : {"channel.garbage", "channel.malformed", "channel.stale", "channel.early",
                           "channel.stale_observation", "channel.huge"}) {
    const CaseResult& result = run_between_good_ones(name);
    EXPECT_EQ(result.outcome, Outcome::error) << name;
    EXPECT_TRUE(result.reason.starts_with("the case's process wrote something else into its result pipe: "))
        << result.reason;
  }
}

TEST_F(Misbehaving, AnExceptionIsAnError) {
  const CaseResult& result = run_between_good_ones("plain.throw");
  EXPECT_EQ(result.outcome, Outcome::error);
  EXPECT_NE(result.reason.find("what a pity"), std::string::npos);
  EXPECT_EQ(run_between_good_ones("plain.throw_int").outcome, Outcome::error);
}

TEST_F(Misbehaving, AChildLeftBehindDiesWithItsWorker) {
  const CaseResult& result = run_between_good_ones("leak.child");
  EXPECT_EQ(result.outcome, Outcome::pass) << result.reason;
  EXPECT_EQ(run_.folder.marks("left_child"), 1U);
}

TEST_F(Misbehaving, ACopyThatReturnsTooIsNotHeardTwice) {
  const CaseResult& result = run_between_good_ones("leak.fork");
  EXPECT_EQ(result.outcome, Outcome::pass) << result.reason;
}

TEST_F(Misbehaving, LeakedDeviceMemoryFailsTheCaseAndReplacesTheWorker) {
  run_.options.jobs = 1;
  run_.run({"plain.process", "leak.memory", "plain.process"});
  const CaseResult& result = run_.result("leak.memory");
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.mismatches[0].basis, "rule");
  EXPECT_NE(observed(run_.summary.results[0], "process"), observed(run_.summary.results[2], "process"));
}

TEST_F(Misbehaving, ASkipKeepsItsReason) {
  const CaseResult& result = run_between_good_ones("plain.skip");
  EXPECT_EQ(result.outcome, Outcome::skip);
  EXPECT_EQ(result.reason, "needs a quantum device");
}

TEST_F(Misbehaving, AMismatchFails) {
  const CaseResult& result = run_between_good_ones("plain.fail");
  EXPECT_EQ(result.outcome, Outcome::fail);
  ASSERT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.mismatches[0].key, "answer");
  EXPECT_EQ(result.reason, "answer: expected 42, seen 41");
}

TEST_F(Misbehaving, TheProcessInWhichACaseFailedServesNoOther) {
  run_.options.jobs = 1;
  run_.run({"plain.process", "plain.fail", "plain.process"});
  EXPECT_NE(observed(run_.summary.results[0], "process"), observed(run_.summary.results[2], "process"));
}

TEST_F(Misbehaving, ACaseWithoutAGoldenFails) {
  const CaseResult& result = run_between_good_ones("plain.no_golden");
  EXPECT_EQ(result.outcome, Outcome::fail);
  EXPECT_EQ(result.reason, "golden: expected a golden file for this case, seen nothing");
}

TEST_F(Misbehaving, AllOfThemSideBySideGetWhatIsTheirs) {
  run_.options.jobs = 6;
  run_.run({"crash.segfault", "plain.pass", "crash.abort", "hang.deaf", "plain.fail", "output.flood", "crash.kill",
            "channel.close", "plain.skip", "leak.child", "crash.exit7", "channel.garbage", "plain.own_process",
            "leak.memory", "plain.throw", "plain.process"});
  const harness::Counts& counts = run_.summary.counts;
  EXPECT_EQ(counts.crash, 4);
  EXPECT_EQ(counts.hang, 1);
  EXPECT_EQ(counts.fail, 2);
  EXPECT_EQ(counts.error, 3);
  EXPECT_EQ(counts.skip, 1);
  EXPECT_EQ(counts.pass, 5);
  EXPECT_EQ(counts.not_run, 0);
  EXPECT_TRUE(run_.folder.no_process_left());
}

TEST_F(Misbehaving, ChildrenOfACaseRunSideBySideAndAreCollected) {
  run_.plan_options.settings.parameters = {{"size", std::int64_t{11}}};
  run_.run({"children.all"});
  EXPECT_EQ(run_.result("children.all").outcome, Outcome::pass) << run_.result("children.all").reason;
  EXPECT_EQ(run_.folder.marks("sleeping_child"), 1U);
  EXPECT_LT(run_.seconds, 30);
  EXPECT_TRUE(run_.folder.no_process_left());
}

TEST_F(Misbehaving, ChildrenDieWithTheHangingCaseThatStartedThem) {
  run_.options.timeout = std::chrono::milliseconds(3000);
  run_.run({"children.for_ever"});
  EXPECT_EQ(run_.result("children.for_ever").outcome, Outcome::hang);
  EXPECT_EQ(run_.folder.marks("sleeping_child"), 1U);
  EXPECT_TRUE(run_.folder.no_process_left());
}

}  // namespace
}  // namespace gpucheck::runner::testing
