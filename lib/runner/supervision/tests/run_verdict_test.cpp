#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "runner/supervision/tests/ledger_of_a_run.hpp"

/// The verdict on a run: what ended how, and what is missing.
namespace gpucheck::runner {
namespace {

using harness::ExitCode;
using harness::Outcome;

TEST_F(RunLedgerTest, OutcomesMakeTheVerdict) {
  EXPECT_EQ(verdict({pass, pass, pass, pass}), ExitCode::passed);
  EXPECT_EQ(verdict({pass, pass, pass, fail}), ExitCode::failed);
  EXPECT_EQ(verdict({pass, error, pass, pass}), ExitCode::not_judged);
  EXPECT_EQ(verdict({fail, error, pass, pass}), ExitCode::failed);
  EXPECT_EQ(verdict({pass, pass, pass}), ExitCode::not_judged) << "one was not run";
  EXPECT_EQ(verdict({pass, pass, pass, skip}), ExitCode::passed);
  options_.max_skips = 0;
  EXPECT_EQ(verdict({pass, pass, pass, skip}), ExitCode::not_judged);
}

TEST_F(RunLedgerTest, ASignalIsTheVerdictWhateverFailed) {
  EXPECT_EQ(verdict({pass, pass, pass, pass}, 2), static_cast<ExitCode>(130));
  EXPECT_EQ(verdict({fail, pass, pass, pass}, 15), static_cast<ExitCode>(143));
}

TEST_F(RunLedgerTest, ADeviceOfWhichNothingIsKnownHasNotPassed) {
  EXPECT_EQ(verdict({pass, skip, skip, pass}), ExitCode::not_judged);
  EXPECT_THAT(heard_.finished->unproven_devices, ElementsAre(1));
  EXPECT_EQ(verdict({skip, pass, skip, pass}), ExitCode::not_judged);
  EXPECT_THAT(heard_.finished->unproven_devices, ElementsAre(0));
  EXPECT_EQ(verdict({skip, skip, pass, pass}), ExitCode::passed) << "a pair is of both";
  EXPECT_THAT(heard_.finished->unproven_devices, IsEmpty());
  EXPECT_EQ(verdict({skip, skip, skip, fail}), ExitCode::failed) << "a failure outweighs that";
}

TEST_F(RunLedgerTest, OfNothingButSkipsTheVerdictMayBeChosen) {
  EXPECT_EQ(verdict({skip, skip, skip, skip}), ExitCode::not_judged);
  options_.skip_exit_code = 77;
  EXPECT_EQ(verdict({skip, skip, skip, skip}), static_cast<ExitCode>(77));
  options_.skip_exit_code = 0;
  EXPECT_EQ(verdict({skip, skip, skip, skip}), ExitCode::passed) << "though no device has shown anything";
  EXPECT_EQ(verdict({skip, skip, skip, pass}), ExitCode::not_judged) << "these are not all skips";
}

TEST_F(RunLedgerTest, OfNoCasesTheOptionsSayWhatThatMeans) {
  selected_.clear();
  for (const auto& [meaning, code] :
       {std::pair("pass", ExitCode::passed), {"warn", ExitCode::passed}, {"fail", ExitCode::not_judged}}) {
    options_.no_cases = meaning;
    begin(0);
    ledger_->end(0, 0, {});
    EXPECT_EQ(heard_.finished->exit_code, static_cast<int>(code)) << meaning;
    begin(0);
    ledger_->end(2, 0, {});
    EXPECT_EQ(heard_.finished->exit_code, 130) << meaning;
  }
}

TEST_F(RunLedgerTest, WhatLackedTimeIsNoPass) {
  begin();
  for (std::size_t i = 0; i < 3; ++i) finish(i, pass);
  CaseResult left_out = result_of(selected_[3], skip);
  left_out.mismatches.push_back({.key = "run_deadline", .expected = "", .seen = "", .basis = "rule"});
  left_out.mismatches.back().failure = harness::find_failure_kind("run_deadline")->code;
  ledger_->start(3, 1);
  ledger_->finish(3, left_out);
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 3);
  EXPECT_FALSE(heard_.finished->may_lack_repetitions);
}

TEST_F(RunLedgerTest, RepetitionsThatNeverBeganMayBeAllowedToLack) {
  options_.deadline_skips_ok = true;
  begin(100);
  for (std::size_t i = 0; i < 4; ++i) finish(i, pass);
  ledger_->end(0, 0, {});
  EXPECT_TRUE(heard_.finished->may_lack_repetitions);
  EXPECT_EQ(heard_.finished->counts.not_run, 96);
  EXPECT_EQ(heard_.finished->exit_code, 0);
  begin(100);
  for (std::size_t i = 0; i < 3; ++i) finish(i, pass);
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 3) << "of the first repetition all must be there";
  begin(100);
  for (std::size_t i = 0; i < 4; ++i) finish(i, pass);
  ledger_->end(15, 0, {});
  EXPECT_FALSE(heard_.finished->may_lack_repetitions) << "nobody allows a signal to cut it short";
}

// -- where the deadline ends the process -------------------------------------------------------

/// The exit code of a process that its deadline ends after `act`.
int code_at_deadline(const std::function<void()>& act) {
  const pid_t process = ::fork();
  if (process == 0) {
    set_last_exit_code(static_cast<int>(ExitCode::not_judged));  // whatever other tests have said
    act();
    end_process_at({RunDeadline::Clock::now(), std::chrono::milliseconds(50)});
    while (true) ::pause();
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(RunLedgerTest, AProcessThatItsDeadlineEndsTellsOfAFailureThatIsKnown) {
  options_.waivers = {{"a.each", "GPU-1", "known", "me", "2999-12-31"}};
  begin();
  EXPECT_EQ(code_at_deadline([this] { finish(0, pass); }), 3);
  EXPECT_EQ(code_at_deadline([this] { finish(0, error); }), 3);
  EXPECT_EQ(code_at_deadline([this] { finish(1, fail); }), 3) << "it is waived";
  EXPECT_EQ(code_at_deadline([this] { finish(0, fail); }), 1);
  EXPECT_EQ(code_at_deadline([this] { finish(2, Outcome::hang); }), 1);
}

}  // namespace
}  // namespace gpucheck::runner
