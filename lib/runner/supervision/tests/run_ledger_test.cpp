#include "runner/supervision/run_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "harness/result/failure_kinds.hpp"

/// What a run tells its sinks, and the verdict that it comes to.
namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::ExitCode;
using harness::Outcome;
using harness::SelectedCase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Devices = std::vector<int>;

struct Heard final : harness::EventSink {
  void on(const harness::RunStarted& event) override { started = event; }
  void on(const harness::CaseStarted& event) override { cases_started.push_back(event); }
  void on(const harness::CaseFinished& event) override { cases_finished.push_back(event); }
  void on(const harness::RunFinished& event) override { finished = event; }
  void on_heartbeat() override { ++heartbeats; }

  std::optional<harness::RunStarted> started;
  std::vector<harness::CaseStarted> cases_started;
  std::vector<harness::CaseFinished> cases_finished;
  std::optional<harness::RunFinished> finished;
  int heartbeats = 0;
};

CaseResult result_of(const SelectedCase& selected, Outcome outcome) {
  CaseResult result;
  result.name = selected.name;
  result.devices = selected.devices;
  result.repetition = selected.repetition;
  result.outcome = outcome;
  return result;
}

/// A run of four entries on two devices of one model: a case on each, a pair, and one about the machine.
class RunLedgerTest : public ::testing::Test {
 protected:
  static constexpr auto pass = Outcome::pass;
  static constexpr auto fail = Outcome::fail;
  static constexpr auto error = Outcome::error;
  static constexpr auto skip = Outcome::skip;

  RunLedgerTest() {
    for (int i = 0; i < 2; ++i) {
      harness::DeviceIdentity& device = devices_.emplace_back();
      device.index = device.ordinal = i;
      device.kind = "cuda";
      device.name = "NVIDIA H100";
      device.uuid = "GPU-" + std::to_string(i);
    }
  }

  RunLedger& begin(std::size_t total = 4) {
    ledger_.emplace(options_, sinks_);
    ledger_->begin(selected_, total, devices_, 3);
    return *ledger_;
  }
  void finish(std::size_t entry, Outcome outcome) {
    ledger_->start(entry, 1);
    ledger_->finish(entry, result_of(selected_.at(entry), outcome));
  }
  /// The case of entry `entry` has measured this speed.
  void finish_with_speed(std::size_t entry, double value) {
    ledger_->start(entry, 1);
    ledger_->finish(entry, measured(entry, value));
  }
  [[nodiscard]] CaseResult measured(std::size_t entry, double value, Outcome outcome = Outcome::pass) const {
    CaseResult result = result_of(selected_.at(entry), outcome);
    result.measurements = {{.key = "gbps", .value = value, .verdict = "pass", .fail_below = 1, .source = "s"}};
    return result;
  }
  /// The verdict on a run in which the entries ended so, one after the other.
  ExitCode verdict(const std::vector<Outcome>& outcomes, int signal = 0) {
    begin();
    for (std::size_t i = 0; i < outcomes.size(); ++i) finish(i, outcomes[i]);
    ledger_->end(signal, 0, {});
    EXPECT_EQ(heard_.finished->exit_code, static_cast<int>(ledger_->take_summary().exit_code));
    return static_cast<ExitCode>(heard_.finished->exit_code);
  }

  std::vector<SelectedCase> selected_ = {{.name = "a.each", .devices = {0}},
                                         {.name = "a.each", .devices = {1}},
                                         {.name = "a.pair", .devices = {0, 1}},
                                         {.name = "a.machine", .devices = {}}};
  std::vector<harness::DeviceIdentity> devices_;
  Options options_;
  Heard heard_;
  Heard other_;
  std::vector<harness::EventSink*> sinks_ = {&heard_, &other_};
  std::optional<RunLedger> ledger_;
};

TEST_F(RunLedgerTest, TellsAtFirstWhatIsAboutToHappen) {
  options_.version = "1.2.3";
  options_.command_line = {"gpucheck", "run"};
  options_.settings.seed = 5;
  options_.max_skips = 7;
  options_.no_cases = "warn";
  options_.configuration.emplace();
  const auto before = std::chrono::system_clock::now();
  begin(9);
  ASSERT_TRUE(heard_.started);
  EXPECT_EQ(heard_.started->version, "1.2.3");
  EXPECT_EQ(heard_.started->command_line, options_.command_line);
  EXPECT_GE(heard_.started->start_time, before);
  EXPECT_LE(heard_.started->start_time, std::chrono::system_clock::now());
  char name[256] = {};
  ASSERT_EQ(::gethostname(name, sizeof name - 1), 0);
  EXPECT_EQ(heard_.started->host_name, name);
  EXPECT_EQ(heard_.started->devices.size(), 2U);
  EXPECT_EQ(heard_.started->settings.seed, 5U);
  EXPECT_EQ(heard_.started->jobs, 3);
  EXPECT_EQ(heard_.started->max_skips, 7);
  EXPECT_EQ(heard_.started->selected, selected_);
  EXPECT_EQ(heard_.started->total, 9U);
  EXPECT_EQ(heard_.started->no_cases, "") << "there are some";
  EXPECT_TRUE(heard_.started->configuration);
  EXPECT_TRUE(other_.started) << "each sink hears";
  begin(0);
  EXPECT_EQ(heard_.started->no_cases, "warn");
}

TEST_F(RunLedgerTest, TellsOfEachCaseOnce) {
  begin(9);
  ledger_->start(1, 2);
  ledger_->start(1, 3);
  ASSERT_EQ(heard_.cases_started.size(), 1U) << "one that is tried again has been started";
  EXPECT_EQ(heard_.cases_started[0].name, "a.each");
  EXPECT_EQ(heard_.cases_started[0].devices, Devices{1});
  EXPECT_EQ(heard_.cases_started[0].running, 2U);
  EXPECT_EQ(heard_.cases_started[0].finished, 0U);
  EXPECT_EQ(heard_.cases_started[0].total, 9U);
  ledger_->finish(1, result_of(selected_[1], fail));
  ASSERT_EQ(heard_.cases_finished.size(), 1U);
  EXPECT_EQ(heard_.cases_finished[0].result.outcome, fail);
  EXPECT_EQ(heard_.cases_finished[0].finished, 1U);
  EXPECT_EQ(heard_.cases_finished[0].total, 9U);
  ledger_->next_round({{.name = "a.each", .devices = {0}, .repetition = 6}});
  ledger_->start(0, 1);
  EXPECT_EQ(heard_.cases_started[1].repetition, 6);
  EXPECT_EQ(heard_.cases_started[1].finished, 1U);
  ledger_->finish(0, result_of({.name = "a.each", .devices = {0}, .repetition = 6}, pass));
  EXPECT_EQ(heard_.cases_finished[1].finished, 2U);
  EXPECT_EQ(other_.cases_finished.size(), 2U);
}

TEST_F(RunLedgerTest, TellsEachSinkThatTimePasses) {
  begin();
  ledger_->beat();
  ledger_->beat();
  EXPECT_EQ(heard_.heartbeats, 2);
  EXPECT_EQ(other_.heartbeats, 2);
}

TEST_F(RunLedgerTest, KnowsWhetherAnythingIsWrong) {
  for (const Outcome outcome : {fail, error, Outcome::crash, Outcome::hang}) {
    begin();
    EXPECT_FALSE(ledger_->has_failure());
    finish(0, outcome);
    EXPECT_TRUE(ledger_->has_failure()) << harness::to_text(outcome);
    finish(1, pass);
    EXPECT_TRUE(ledger_->has_failure()) << "a pass takes nothing back";
  }
  for (const Outcome outcome : {pass, skip}) {
    begin();
    finish(0, outcome);
    EXPECT_FALSE(ledger_->has_failure()) << harness::to_text(outcome);
  }
}

TEST_F(RunLedgerTest, AWaivedFailureIsNone) {
  options_.waivers = {{"a.each", "GPU-1", "known", "me", "2999-12-31"}, {"a.pair", "GPU-0", "old", "me", "2001-01-01"}};
  begin();
  finish(0, pass);
  finish(1, fail);
  EXPECT_FALSE(ledger_->has_failure());
  EXPECT_EQ(heard_.cases_finished.back().result.waiver->owner, "me") << "the sinks hear of it";
  finish(2, pass);
  finish(3, pass);
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 0);
  EXPECT_EQ(heard_.finished->counts.waived, 1);
  ASSERT_EQ(heard_.finished->waivers.size(), 2U);
  EXPECT_EQ(heard_.finished->waivers[0].state, "used");
  EXPECT_EQ(heard_.finished->waivers[1].state, "expired");
}

TEST_F(RunLedgerTest, TellsAtLastWhatCameOfIt) {
  begin();
  finish(0, pass);
  finish(1, fail);
  finish(2, Outcome::crash);
  finish(3, skip);
  ledger_->end(0, 12.5, {{.device = 1}});
  ASSERT_TRUE(heard_.finished);
  const harness::Counts expected{.pass = 1, .fail = 1, .crash = 1, .skip = 1};
  EXPECT_EQ(heard_.finished->counts, expected);
  EXPECT_EQ(heard_.finished->duration_ms, 12.5);
  EXPECT_THAT(heard_.finished->not_run, IsEmpty());
  EXPECT_THAT(heard_.finished->running, IsEmpty());
  EXPECT_EQ(heard_.finished->incomplete, "");
  EXPECT_EQ(heard_.finished->interrupted_by_signal, 0);
  EXPECT_EQ(heard_.finished->device_times.at(0).device, 1);
  EXPECT_EQ(heard_.finished->exit_code, 1);
  const RunSummary summary = ledger_->take_summary();
  EXPECT_EQ(summary.counts, expected);
  EXPECT_EQ(summary.exit_code, ExitCode::failed);
  ASSERT_EQ(summary.results.size(), 4U);
  EXPECT_EQ(summary.results[2].name, "a.pair");
}

TEST_F(RunLedgerTest, NamesWhatNeverFinished) {
  begin(10);
  finish(0, pass);
  ledger_->start(2, 1);
  ledger_->end(2, 0, {});
  EXPECT_THAT(heard_.finished->not_run, ElementsAre(selected_[1], selected_[2], selected_[3]));
  EXPECT_THAT(heard_.finished->running, ElementsAre(selected_[2])) << "of which only this one had been started";
  EXPECT_EQ(heard_.finished->counts.not_run, 9) << "of all repetitions";
  EXPECT_EQ(heard_.finished->interrupted_by_signal, 2);
  EXPECT_EQ(heard_.finished->exit_code, 130);
}

TEST_F(RunLedgerTest, OfLaterRoundsNamesOnlyWhatHadBeenStarted) {
  begin(10);
  for (std::size_t i = 0; i < 4; ++i) finish(i, pass);
  for (SelectedCase& one : selected_) one.repetition = 1;
  ledger_->next_round(selected_);
  finish(0, pass);
  ledger_->start(1, 1);
  ledger_->end(0, 0, {});
  EXPECT_THAT(heard_.finished->not_run, ElementsAre(selected_[1]));
  EXPECT_THAT(heard_.finished->running, ElementsAre(selected_[1]));
  EXPECT_EQ(heard_.finished->counts.not_run, 5);
  EXPECT_EQ(heard_.finished->exit_code, 3) << "it ended early";
}

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

// -- devices with each other -----------------------------------------------------------------

TEST_F(RunLedgerTest, ADeviceFarSlowerThanItsPeerFailsTheRun) {
  begin(2);
  finish_with_speed(0, 1000);
  finish_with_speed(1, 700);
  EXPECT_THAT(ledger_->too_slow(), ElementsAre(std::pair<std::string, int>("a.each", 1)));
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 1);
  ASSERT_EQ(heard_.finished->comparisons.size(), 1U);
  EXPECT_EQ(heard_.finished->comparisons[0].values.at(1).verdict, "fail");
  EXPECT_EQ(ledger_->take_summary().comparisons, heard_.finished->comparisons);
}

TEST_F(RunLedgerTest, OneThatIsALittleSlowerIsNotTooSlow) {
  begin(2);
  finish_with_speed(0, 850);
  finish_with_speed(1, 1000);
  EXPECT_THAT(ledger_->too_slow(), IsEmpty());
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 0);
}

TEST_F(RunLedgerTest, OneThatDiffersOtherwiseIsNotTooSlow) {
  begin(2);
  for (const std::size_t entry : {std::size_t{0}, std::size_t{1}}) {
    CaseResult result = result_of(selected_[entry], pass);
    result.observations = {{"digest", entry == 0 ? std::string("aa") : std::string("bb")}};
    ledger_->start(entry, 1);
    ledger_->finish(entry, result);
  }
  EXPECT_THAT(ledger_->too_slow(), IsEmpty());
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 1);
}

TEST_F(RunLedgerTest, AWaiverOfTheSlowDeviceHolds) {
  options_.waivers = {{"a.each", "GPU-0", "known", "me", "2999-12-31"}};
  begin(2);
  finish_with_speed(0, 700);
  finish_with_speed(1, 1000);
  EXPECT_THAT(ledger_->too_slow(), IsEmpty()) << "nobody asks for another measurement";
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 0);
  ASSERT_EQ(heard_.finished->waivers.size(), 1U);
  EXPECT_EQ(heard_.finished->waivers[0].state, "used");
  EXPECT_TRUE(heard_.finished->comparisons.at(0).values.at(0).waiver);
  begin(2);
  finish_with_speed(0, 1000);
  finish_with_speed(1, 700);
  EXPECT_THAT(ledger_->too_slow(), ElementsAre(std::pair<std::string, int>("a.each", 1))) << "it is of the other one";
}

TEST_F(RunLedgerTest, AMeasurementThatIsRepeatedCountsInsteadAndIsNoResultBesides) {
  begin(2);
  finish_with_speed(0, 1000);
  finish_with_speed(1, 700);
  ledger_->remeasure(measured(1, 990));
  EXPECT_THAT(ledger_->too_slow(), IsEmpty());
  ledger_->end(0, 0, {});
  EXPECT_EQ(heard_.finished->exit_code, 0);
  EXPECT_EQ(heard_.finished->counts.pass, 2);
  EXPECT_EQ(heard_.finished->counts.not_run, 0);
  ASSERT_EQ(heard_.finished->remeasured.size(), 1U);
  EXPECT_EQ(heard_.finished->remeasured[0].measurements.at(0).value, 990);
  EXPECT_EQ(heard_.cases_finished.size(), 2U);
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
