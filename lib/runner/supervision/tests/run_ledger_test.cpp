#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "harness/result/failure_kinds.hpp"
#include "runner/supervision/tests/ledger_of_a_run.hpp"

/// What a run reports to its sinks, and what it compares.
namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::ExitCode;
using harness::Outcome;
using harness::SelectedCase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Devices = std::vector<int>;

TEST_F(RunLedgerTest, TellsAtFirstWhatIsAboutToHappen) {
  options_.version = "1.2.3";
  options_.command_line = {"gpucheck", "run"};
  options_.host_name = "n7";
  options_.job = harness::Job{.engine = "slurm", .id = "99", .rank = 3};
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
  EXPECT_EQ(heard_.started->host_name, "n7");
  ASSERT_TRUE(heard_.started->job);
  EXPECT_EQ(*heard_.started->job, *options_.job);
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

}  // namespace
}  // namespace gpucheck::runner
