#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "harness/result/failure_kinds.hpp"
#include "harness/run/device_verdicts.hpp"
#include "runner/tests/test_run.hpp"

/// Runs with a time limit: over in time, whatever hangs, and nothing that lacked time is a pass.
namespace gpucheck::runner::testing {
namespace {

using harness::CaseResult;
using harness::Outcome;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

#ifdef GPUCHECK_TEST_SANITIZED
// What is kept back for the end is measured without a sanitizer; here, whether a run ends at all by its deadline.
constexpr milliseconds slack{5000};
#else
constexpr milliseconds slack{0};
#endif

class DeadlineOfARun : public ::testing::Test {
 protected:
  /// Of `limit` for the whole run, whose cases are known to take no time unless `set_duration` says so.
  const RunSummary& run(milliseconds limit, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!run_.options.durations.of(name, true)) set_duration(name, milliseconds(1));
    }
    limit_ = limit;
    run_.options.deadline.emplace(RunDeadline::Clock::now(), limit);
    return run_.run(names);
  }

  void set_duration(const std::string& name, milliseconds time) {
    run_.options.durations.set(name, {.on_simulator = time, .on_gpu = {}});
  }

  void expect_in_time() const {
    EXPECT_LT(run_.seconds * 1000, static_cast<double>((limit_ + slack).count()));
    EXPECT_EQ(run_.sink.lines.back(), "finished");
    EXPECT_TRUE(run_.folder.no_process_left());
  }

  static std::vector<std::string_view> kinds_of(const CaseResult& result) {
    std::vector<std::string_view> names;
    for (const harness::FailureKind* kind : harness::failures_of(result)) names.push_back(kind->name);
    return names;
  }

  TestRun run_;
  milliseconds limit_{};
};

TEST_F(DeadlineOfARun, WhatFitsRunsAsEver) {
  run(milliseconds(20'000), {"plain.pass", "plain.process"});
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::passed);
  expect_in_time();
}

TEST_F(DeadlineOfARun, WhatDoesNotFitIsNotStartedAndSaysSo) {
  set_duration("plain.process", milliseconds(9'000));
  run(milliseconds(8'000), {"plain.process", "plain.pass"});
  const CaseResult& result = run_.result("plain.process");
  EXPECT_EQ(result.outcome, Outcome::skip);
  EXPECT_THAT(result.reason, HasSubstr("not started: it"));
  EXPECT_THAT(result.reason, HasSubstr("of the run's deadline of 8000 ms"));
  EXPECT_EQ(kinds_of(result), std::vector<std::string_view>{"run_deadline"});
  EXPECT_EQ(run_.result("plain.pass").outcome, Outcome::pass) << "the others do fit";
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::not_judged);
  expect_in_time();
}

TEST_F(DeadlineOfARun, WhatWasNeverMeasuredMayTakeItsDeadline) {
  run_.options.deadline.emplace(RunDeadline::Clock::now(), milliseconds(5000));
  run_.run({"hang.long"});  // one hour
  EXPECT_EQ(run_.result("hang.long").outcome, Outcome::skip);
  EXPECT_THAT(run_.result("hang.long").reason, HasSubstr("it may take 3600000 ms"));
  EXPECT_EQ(run_.folder.marks("hanging"), 0U);
}

TEST_F(DeadlineOfARun, LackOfTimeMayBeAllowedButIsNoEvidence) {
  set_duration("plain.process", milliseconds(9'000));
  run_.options.deadline_skips_ok = true;
  EXPECT_EQ(run(milliseconds(8'000), {"plain.process", "plain.pass"}).exit_code, harness::ExitCode::passed);
  EXPECT_TRUE(kinds_of(run_.result("plain.process")).empty());
  EXPECT_EQ(run(milliseconds(8'000), {"plain.process"}).exit_code, harness::ExitCode::not_judged);
}

TEST_F(DeadlineOfARun, ADeviceThatLackedTimeHasNotPassed) {
  set_duration("plain.process", milliseconds(9'000));
  run(milliseconds(8'000), {"plain.process", "plain.pass"});
  harness::DeviceVerdicts verdicts;
  for (const CaseResult& result : run_.summary.results) verdicts.add(result);
  EXPECT_EQ(verdicts.of(run_.sink.started.devices, run_.sink.finished).front().verdict, harness::Verdict::not_judged);
}

TEST_F(DeadlineOfARun, ACaseThatHangsIsStoppedInTime) {
  for (const bool allowed : {false, true}) {
    run_.options.deadline_skips_ok = allowed;
    run(milliseconds(3000), {"plain.pass", "hang.long", "plain.own_process_pass"});
    const CaseResult& result = run_.result("hang.long");
    EXPECT_EQ(result.outcome, Outcome::error);
    EXPECT_THAT(result.reason, HasSubstr("the run's deadline of 3000 ms was near"));
    EXPECT_EQ(observed(result, "before"), "true");
    EXPECT_EQ(kinds_of(result), std::vector<std::string_view>{"run_deadline"});
    EXPECT_EQ(run_.result("plain.pass").outcome, Outcome::pass);
    EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::not_judged) << "what was under way is never allowed";
    expect_in_time();
  }
}

TEST_F(DeadlineOfARun, SoAreCasesOnEveryDevice) {
  run_.options.settings.device = "four";
  set_duration("device.each", milliseconds(1));
  run(milliseconds(3000), {"hang.long", "device.each"});
  expect_in_time();
  EXPECT_EQ(run_.summary.results.size(), run_.sink.started.total) << "each has its result";
}

TEST_F(DeadlineOfARun, ADeviceThatHangsCostsItsOwnCases) {
  run_.options.settings.device = "mute";
  run(milliseconds(4000), {"device.each"});
  expect_in_time();
  ASSERT_EQ(run_.summary.results.size(), 4U);
  EXPECT_EQ(run_.summary.counts.pass, 3);
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::not_judged);
}

TEST_F(DeadlineOfARun, ADriverThatDoesNotAnswerAtAllHasItsReport) {
  run_.options.settings.device = "slow";
  run(milliseconds(2000), {"plain.pass", "plain.process"});
  expect_in_time();
  ASSERT_EQ(run_.summary.results.size(), 2U);
  for (const CaseResult& result : run_.summary.results) {
    EXPECT_EQ(result.outcome, Outcome::error);
    EXPECT_THAT(result.reason, HasSubstr("the driver did not say within"));
  }
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::not_judged);
}

TEST_F(DeadlineOfARun, RepetitionsThatNeverBeganAreNotRun) {
  for (const bool allowed : {false, true}) {
    run_.options.deadline_skips_ok = allowed;
    run_.plan_options.repeat = 1'000'000;
    run(milliseconds(2000), {"plain.pass"});
    expect_in_time();
    EXPECT_GT(run_.summary.counts.pass, 0);
    EXPECT_GT(run_.summary.counts.not_run, 0);
    EXPECT_EQ(run_.sink.finished.may_lack_repetitions, allowed);
    // On a busy machine the last of them may be stopped at the deadline, which is an error.
    const bool is_good = allowed && run_.summary.counts.error == 0;
    EXPECT_EQ(run_.summary.exit_code, is_good ? harness::ExitCode::passed : harness::ExitCode::not_judged);
  }
}

TEST_F(DeadlineOfARun, AFailureIsNotTriedAgainWithoutTime) {
  run_.options.retries = 1'000'000;
  run(milliseconds(2000), {"crash.exit7"});
  expect_in_time();
  EXPECT_EQ(run_.result("crash.exit7").outcome, Outcome::crash);
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::failed);
}

TEST_F(DeadlineOfARun, WhoStopsAfterAFailureIsInTimeToo) {
  run_.options.fail_fast = true;
  run(milliseconds(3000), {"hang.long", "crash.exit7"});
  expect_in_time();
  EXPECT_EQ(run_.result("crash.exit7").outcome, Outcome::crash);
  EXPECT_EQ(run_.result("hang.long").outcome, Outcome::error);
}

/// Whatever this process does, to its end: here it never ends by itself.
TEST(EndOfAProcess, ComesWithTheDeadline) {
  for (const int code : {1, 3}) {
    const pid_t process = ::fork();
    if (process == 0) {
      set_last_exit_code(code);
      end_process_at({RunDeadline::Clock::now(), milliseconds(500)});
      while (true) ::pause();
    }
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(1500));  // on a busy machine, too
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), code);
  }
}

}  // namespace
}  // namespace gpucheck::runner::testing
