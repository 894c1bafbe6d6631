#include "runner/supervision/task.hpp"

#include <gtest/gtest.h>

#include "harness/result/failure_kinds.hpp"
#include "harness/telemetry/idle_gate.hpp"

/// What becomes of a task's attempts.
namespace gpucheck::runner {
namespace {

using harness::CaseResult;
using harness::Outcome;
using Devices = std::vector<int>;
using std::chrono::milliseconds;

std::string failure_code(std::string_view name) { return std::string(harness::find_failure_kind(name)->code); }

CaseResult attempt_ended(Outcome outcome, const std::string& reason = {}, double duration_ms = 0) {
  CaseResult result;
  result.name = "a.b";
  result.outcome = outcome;
  result.reason = reason;
  result.duration_ms = duration_ms;
  return result;
}

/// A failure with these kinds of mismatches.
CaseResult attempt_failed_by(const std::vector<std::string_view>& kinds) {
  CaseResult result = attempt_ended(Outcome::fail, "slow");
  for (const std::string_view kind : kinds) {
    result.mismatches.push_back({.key = "gbps", .expected = "5", .seen = "1", .basis = "vendor"});
    result.mismatches.back().failure = failure_code(kind);
  }
  return result;
}

class TaskTest : public ::testing::Test {
 protected:
  TaskTest() {
    test_case_.name = "a.b";
    test_case_.deadline = milliseconds(1234);
    planned_.test_case = &test_case_;
    planned_.repetition = 4;
    options_.settings.seed = 10;
  }

  [[nodiscard]] Task task(Devices devices = {0}) const {
    return Task({.planned = &planned_,
                 .devices = std::move(devices),
                 .device_name = {},
                 .rerun_device = "sim:h100",
                 .unmet = {}},
                7);
  }

  harness::Case test_case_;
  PlannedCase planned_;
  Options options_;
};

TEST_F(TaskTest, IsSelectedForItsDevicesAndRepetition) {
  EXPECT_EQ(task({2, 3}).selected(), (harness::SelectedCase{.name = "a.b", .devices = {2, 3}, .repetition = 4}));
  test_case_.needs.devices = 0;
  EXPECT_EQ(task({2}).selected(), (harness::SelectedCase{.name = "a.b", .devices = {}, .repetition = 4}));
}

TEST_F(TaskTest, NeedsAFreshWorkerByItsCaseOrByTheRun) {
  EXPECT_FALSE(task().needs_fresh_worker(Isolation::worker));
  EXPECT_TRUE(task().needs_fresh_worker(Isolation::process));
  test_case_.needs.own_process = true;
  EXPECT_TRUE(task().needs_fresh_worker(Isolation::worker));
}

TEST_F(TaskTest, MayTakeItsDeadlineAndTheTimeItWaitsForIdleDevices) {
  EXPECT_EQ(task().limit(options_), milliseconds(1234));
  options_.timeout = milliseconds(77);
  EXPECT_EQ(task().limit(options_), milliseconds(77));
  EXPECT_EQ(task({0, 1}).limit(options_), milliseconds(77));
  test_case_.needs.idle = true;
  static_assert(harness::IdleLimits{}.patience == milliseconds(5000));
  EXPECT_EQ(task().limit(options_), milliseconds(5077));
  EXPECT_EQ(task({0, 1, 2}).limit(options_), milliseconds(15077)) << "for one after the other";
  options_.timeout.reset();
  EXPECT_EQ(task().limit(options_), milliseconds(6234));
}

TEST_F(TaskTest, IsTriedAgainAsOftenAsIsAsked) {
  options_.retries = 2;
  options_.remeasure = 0;
  Task tried = task();
  for (const int attempt : {1, 2, 3}) {
    EXPECT_EQ(tried.attempt(), attempt);
    for (const Outcome bad : {Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang}) {
      EXPECT_EQ(tried.may_try_again(attempt_ended(bad), options_), attempt < 3)
          << harness::to_text(bad) << " " << attempt;
      EXPECT_TRUE(is_bad(bad));
    }
    for (const Outcome good : {Outcome::pass, Outcome::skip}) {
      EXPECT_FALSE(tried.may_try_again(attempt_ended(good), options_));
      EXPECT_FALSE(is_bad(good));
    }
    tried.keep(attempt_ended(Outcome::fail));
  }
}

TEST_F(TaskTest, OfSpeedAndOtherwiseHasTheGreaterNumberOfTries) {
  const auto tries = [this](const CaseResult& result) {
    Task tried = task();
    while (tried.may_try_again(result, options_) && tried.attempt() < 20) tried.keep(result);
    return tried.attempt();
  };
  const CaseResult slow = attempt_failed_by({"slow_memory", "slow_compute"});
  options_.retries = 1;
  options_.remeasure = 3;
  EXPECT_EQ(tries(slow), 4);
  EXPECT_EQ(tries(attempt_failed_by({"behaviour_differs"})), 2);
  EXPECT_EQ(tries(attempt_failed_by({"slow_memory", "behaviour_differs"})), 2) << "not by speed alone";
  EXPECT_EQ(tries(attempt_failed_by({"behaviour_differs", "slow_memory"})), 2);
  planned_.settings.fault = "slow_copy";
  EXPECT_EQ(tries(slow), 2) << "under a fault it is not measured again";
  planned_.settings.fault.clear();
  options_.retries = 5;
  EXPECT_EQ(tries(slow), 6);
}

TEST_F(TaskTest, EndsAsItsLastAttemptDid) {
  Task tried = task({2, 3});
  tried.keep(attempt_ended(Outcome::fail, "first", 11));
  tried.keep(attempt_ended(Outcome::crash, "second", 12));
  const CaseResult result = tried.settle(attempt_ended(Outcome::pass), options_);
  EXPECT_EQ(result.outcome, Outcome::pass);
  EXPECT_TRUE(result.flaky);
  ASSERT_EQ(result.earlier_attempts.size(), 2U);
  EXPECT_EQ(result.earlier_attempts[0].outcome, Outcome::fail);
  EXPECT_EQ(result.earlier_attempts[0].reason, "first");
  EXPECT_EQ(result.earlier_attempts[0].duration_ms, 11);
  EXPECT_EQ(result.earlier_attempts[1].outcome, Outcome::crash);
  EXPECT_EQ(result.earlier_attempts[1].reason, "second");
  EXPECT_EQ(result.earlier_attempts[1].duration_ms, 12);
  EXPECT_EQ(result.devices, (Devices{2, 3}));
  EXPECT_EQ(result.rerun_command, "gpucheck run a.b --device sim:h100 --seed 14");
}

TEST_F(TaskTest, IsFlakyOnlyWhereAnotherAttemptCameBeforeAPass) {
  EXPECT_FALSE(task().settle(attempt_ended(Outcome::pass), options_).flaky);
  Task again = task();
  again.keep(attempt_ended(Outcome::fail));
  EXPECT_FALSE(again.settle(attempt_ended(Outcome::fail), options_).flaky);
}

struct LastWord {
  Outcome failure;
  Outcome retry;
  bool counts;  ///< what the retry said
};

TEST_F(TaskTest, KeepsAFailureThatARetrySaysNothingAbout) {
  for (const LastWord& row : {LastWord{Outcome::fail, Outcome::skip, false},
                              {Outcome::error, Outcome::skip, false},
                              {Outcome::fail, Outcome::error, false},
                              {Outcome::crash, Outcome::error, false},
                              {Outcome::hang, Outcome::error, false},
                              {Outcome::error, Outcome::error, true},
                              {Outcome::error, Outcome::fail, true},
                              {Outcome::crash, Outcome::pass, true},
                              {Outcome::fail, Outcome::hang, true}}) {
    Task tried = task({1});
    tried.keep(attempt_ended(Outcome::fail, "long ago", 1));
    tried.keep(attempt_ended(row.failure, "before", 2));
    const CaseResult result = tried.settle(attempt_ended(row.retry, "after", 3), options_);
    const std::string where =
        std::string(harness::to_text(row.failure)) + " then " + std::string(harness::to_text(row.retry));
    EXPECT_EQ(result.outcome, row.counts ? row.retry : row.failure) << where;
    EXPECT_EQ(result.duration_ms, row.counts ? 3 : 2) << where;
    EXPECT_EQ(result.earlier_attempts.size(), row.counts ? 2U : 1U) << where;
    EXPECT_EQ(result.earlier_attempts.front().reason, "long ago") << where;
    EXPECT_EQ(result.devices, Devices{1}) << where;
    const std::string later = "before (tried again: " + std::string(harness::to_text(row.retry)) + ": after)";
    EXPECT_EQ(result.reason, row.counts ? "after" : later) << where;
  }
}

TEST_F(TaskTest, ExplainsAnErrorByItsWords) {
  const CaseResult result = task().settle(attempt_ended(Outcome::error, "Too many open files"), options_);
  ASSERT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.mismatches[0].failure, failure_code("open_file_limit"));
}

TEST_F(TaskTest, NamesTheDevicesOfTheRunNotTheWorkers) {
  CaseResult of_pair = attempt_ended(Outcome::pass);
  of_pair.telemetry = {{.device = 0, .problem = "first"}, {.device = 1, .problem = "second"}};
  const CaseResult result = task({5, 3}).settle(std::move(of_pair), options_);
  EXPECT_EQ(result.devices, (Devices{5, 3}));
  EXPECT_EQ(result.telemetry.at(0).device, 5);
  EXPECT_EQ(result.telemetry.at(0).problem, "first");
  EXPECT_EQ(result.telemetry.at(1).device, 3);
  test_case_.needs.devices = 0;
  EXPECT_EQ(task({2}).settle(attempt_ended(Outcome::pass), options_).devices, Devices{}) << "it is about the machine";
}

// -- measured again after its result ---------------------------------------------------------

TEST_F(TaskTest, IsMeasuredAgainAsOftenAsTheOptionsSay) {
  Task measured = task({1});
  for (int times = 0; times < options_.remeasure; ++times) {
    EXPECT_FALSE(measured.is_remeasured());
    EXPECT_TRUE(measured.may_be_remeasured(options_)) << times;
    measured.begin_remeasurement();
    EXPECT_TRUE(measured.is_remeasured());
    EXPECT_EQ(measured.attempt(), times + 2) << "each leaves a trace of its own";
    CaseResult passed = attempt_ended(Outcome::pass);
    passed.telemetry = {{.device = 0, .problem = ""}};
    const CaseResult result = measured.end_remeasurement(std::move(passed), options_);
    EXPECT_EQ(result.devices, Devices{1});
    EXPECT_EQ(result.telemetry.at(0).device, 1);
    EXPECT_FALSE(measured.is_remeasured());
  }
  EXPECT_FALSE(measured.may_be_remeasured(options_));
}

TEST_F(TaskTest, IsNotMeasuredAgainUnderAFaultNorWhereNobodyWantsThat) {
  EXPECT_TRUE(task().may_be_remeasured(options_));
  options_.remeasure = 0;
  EXPECT_FALSE(task().may_be_remeasured(options_));
  options_.remeasure = 1;
  planned_.settings.fault = "slow_copy";
  EXPECT_FALSE(task().may_be_remeasured(options_));
}

TEST_F(TaskTest, AFailureThatIsNoneOfSpeedGetsNoOtherMeasurement) {
  const auto may_again_after = [this](const CaseResult& result) {
    Task measured = task();
    measured.begin_remeasurement();
    static_cast<void>(measured.end_remeasurement(result, options_));
    return measured.may_be_remeasured(options_);
  };
  EXPECT_TRUE(may_again_after(attempt_ended(Outcome::pass)));
  EXPECT_TRUE(may_again_after(attempt_failed_by({"slow_memory"})));
  EXPECT_FALSE(may_again_after(attempt_failed_by({"slow_memory", "behaviour_differs"})));
  for (const Outcome other : {Outcome::fail, Outcome::error, Outcome::crash, Outcome::hang, Outcome::skip}) {
    EXPECT_FALSE(may_again_after(attempt_ended(other))) << harness::to_text(other);
  }
}

TEST_F(TaskTest, ExplainsAnErrorOfARepeatedMeasurementToo) {
  Task measured = task();
  measured.begin_remeasurement();
  const CaseResult result = measured.end_remeasurement(attempt_ended(Outcome::error, "Too many open files"), options_);
  ASSERT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.mismatches[0].failure, failure_code("open_file_limit"));
}

}  // namespace
}  // namespace gpucheck::runner
