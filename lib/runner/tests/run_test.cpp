#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "test_run.hpp"

/// How a run goes: order, workers, events, devices.
namespace gpucheck::runner::testing {
namespace {

using harness::CaseResult;
using harness::Outcome;
using Lines = std::vector<std::string>;

double number(const CaseResult& result, const std::string& key) { return std::stod(observed(result, key)); }

bool overlap(const CaseResult& a, const CaseResult& b) {
  return number(a, "start_us") < number(b, "end_us") && number(b, "start_us") < number(a, "end_us");
}

TEST(Run, TellsItsSinksEverythingInOrder) {
  TestRun run;
  run.options.jobs = 1;
  run.options.settings.seed = 5;
  run.options.version = "1.2.3";
  run.run({"plain.pass", "plain.fail"});
  EXPECT_EQ(run.sink.lines,
            (Lines{"started", "case plain.pass", "pass plain.pass", "case plain.fail", "fail plain.fail", "finished"}));
  EXPECT_EQ(run.sink.started.devices.at(0).kind, "sim");
  EXPECT_GT(run.sink.started.devices.at(0).total_memory_bytes, 0U);
  EXPECT_EQ(run.sink.started.settings.seed, 5U);
  EXPECT_EQ(run.sink.started.version, "1.2.3");
  ASSERT_EQ(run.sink.started.selected.size(), 2U);
  EXPECT_EQ(run.sink.started.selected[1], (harness::SelectedCase{.name = "plain.fail", .devices = {}}))
      << "it needs no device";
  EXPECT_EQ(run.sink.started.host_name, "n7");
  EXPECT_EQ(run.sink.finished.exit_code, 1);
  EXPECT_EQ(run.sink.finished.counts.pass, 1);
  EXPECT_TRUE(run.sink.finished.not_run.empty());
  EXPECT_GT(run.sink.finished.duration_ms, 0);
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Run, TellsItsSinksThatTimePasses) {
  TestRun run;
  run.options.heartbeat = std::chrono::milliseconds(20);
  run.options.timeout = std::chrono::milliseconds(500);
  run.run({"hang.deaf"});
  EXPECT_GE(run.sink.heartbeats, 5) << "of some 25";
  EXPECT_EQ(run.sink.lines.back(), "finished");
}

TEST(Run, EndsWithoutWaitingForTheNextHeartbeat) {
  TestRun run;
  run.options.heartbeat = std::chrono::hours(1);
  run.run({"plain.pass"});
  EXPECT_LT(run.seconds, 60);
  EXPECT_EQ(run.sink.heartbeats, 0);
}

TEST(Run, AppliesWaivers) {
  TestRun run;
  run.options.jobs = 1;
  run.options.fail_fast = true;
  run.options.waivers = {{"plain.fail", "any", "known", "me", "2999-12-31"},
                         {"plain.pass", "GPU-none", "no such device", "me", "2999-12-31"}};
  EXPECT_EQ(run.run({"plain.fail", "plain.pass"}).exit_code, harness::ExitCode::passed);
  EXPECT_EQ(run.result("plain.fail").outcome, Outcome::fail);
  EXPECT_EQ(run.result("plain.fail").waiver->owner, "me");
  EXPECT_EQ(run.sink.finished.counts.waived, 1);
  ASSERT_EQ(run.sink.finished.waivers.size(), 1U);
  EXPECT_EQ(run.sink.finished.waivers[0].state, "used");
}

TEST(Run, PassesWhenEverythingDoes) {
  TestRun run;
  EXPECT_EQ(run.run({"plain.pass", "plain.own_process_pass"}).exit_code, harness::ExitCode::passed);
}

TEST(Run, NothingToDoIsNotAPass) {
  TestRun run;
  EXPECT_EQ(run.run(Lines{}).exit_code, harness::ExitCode::not_judged);
  EXPECT_EQ(run.sink.lines, (Lines{"started", "finished"}));
}

TEST(Run, MoreSkipsThanAllowedAreNotAPass) {
  TestRun run;
  EXPECT_EQ(run.run({"plain.pass", "plain.skip"}).exit_code, harness::ExitCode::passed);
  run.options.max_skips = 0;
  EXPECT_EQ(run.run({"plain.pass", "plain.skip"}).exit_code, harness::ExitCode::not_judged);
}

TEST(Run, WarmWorkersAreUsedAgainButNotForCasesThatNeedTheirOwn) {
  TestRun run;
  run.options.jobs = 1;
  run.run({"plain.process", "plain.own_process", "plain.process", "plain.own_process"});
  const auto process = [&run](std::size_t i) { return observed(run.summary.results.at(i), "process"); };
  EXPECT_EQ(process(0), process(2));
  EXPECT_NE(process(1), process(3));
  EXPECT_NE(process(1), process(0));
  EXPECT_NE(process(3), process(0));
}

// More than one round of them.
TEST(Run, EveryRepetitionRunsOnceAndOnTheSameWorkers) {
  constexpr int repeat = 1'100;
  TestRun run;
  run.options.jobs = 1;
  run.plan_options.repeat = repeat;
  run.run({"plain.process"});
  std::set<int> repetitions;
  std::set<std::uint64_t> seeds;
  std::set<std::string> processes;
  for (const CaseResult& result : run.summary.results) {
    repetitions.insert(result.repetition);
    seeds.insert(result.seed);
    processes.insert(observed(result, "process"));
  }
  EXPECT_EQ(run.summary.results.size(), std::size_t{repeat});
  EXPECT_EQ(repetitions.size(), std::size_t{repeat});
  EXPECT_EQ(*repetitions.rbegin(), repeat - 1);
  EXPECT_EQ(seeds.size(), std::size_t{repeat});
  EXPECT_EQ(processes.size(), 1U);
  EXPECT_EQ(run.sink.totals, std::vector<std::size_t>(repeat, repeat));
}

TEST(Run, ABillionRepetitionsTakeNoMoreThanThoseThatRun) {
  constexpr int repeat = 1'000'000'000;
  TestRun run;
  run.options.fail_fast = true;
  run.plan_options.repeat = repeat;
  run.sink.on_every_event = [&run] {
    if (run.sink.totals.size() == 1'200) std::ofstream(run.folder.path() + "/enough") << "now";
  };
  run.run({"plain.pass", "plain.until_told"});
  const harness::Counts& counts = run.sink.finished.counts;
  EXPECT_GE(counts.pass, 1'199);
  EXPECT_GE(counts.error, 1);
  EXPECT_EQ(counts.total() + counts.not_run, 2 * std::int64_t{repeat});
  EXPECT_EQ(run.sink.totals.back(), 2 * std::size_t{repeat});
  EXPECT_EQ(run.sink.started.selected.size(), 1'000U) << "of the first repetitions";
  EXPECT_LE(run.sink.finished.not_run.size(), 1U) << "what had been started";
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::not_judged);
}

TEST(Run, AWorkerThatRanUnderAFaultIsNotUsedAgain) {
  TestRun run;
  run.options.jobs = 1;
  Plan plan = run.plan({"plain.process", "fault.allocation", "plain.process"});
  plan.cases[1].settings.fault = "no_memory";
  run.run_plan(plan);
  EXPECT_NE(observed(run.summary.results.at(0), "process"), observed(run.summary.results.at(2), "process"));
}

TEST(Run, IsolationByProcessGivesEveryCaseItsOwn) {
  TestRun run;
  run.options.jobs = 1;
  run.options.isolation = Isolation::process;
  run.run({"plain.process", "plain.process", "plain.process"});
  const auto process = [&run](std::size_t i) { return observed(run.summary.results.at(i), "process"); };
  EXPECT_NE(process(0), process(1));
  EXPECT_NE(process(1), process(2));
  EXPECT_NE(process(0), process(2));
}

TEST(Run, CasesRunSideBySide) {
  TestRun run;
  run.options.jobs = 2;
  EXPECT_EQ(run.run({"meet.a", "meet.b"}).counts.pass, 2);
}

TEST(Run, ExclusiveCasesRunAlone) {
  TestRun run;
  run.options.jobs = 4;
  run.run({"slow.exclusive_a", "slow.a", "slow.exclusive_b", "slow.b"});
  EXPECT_EQ(run.summary.counts.pass, 4);
  for (const char* exclusive : {"slow.exclusive_a", "slow.exclusive_b"}) {
    for (const CaseResult& other : run.summary.results) {
      if (other.name != exclusive) {
        EXPECT_FALSE(overlap(run.result(exclusive), other)) << exclusive << " and " << other.name;
      }
    }
  }
}

TEST(Run, ExclusiveCasesWaitForWorkersThatAreLeaving) {
  TestRun run;
  run.options.jobs = 2;
  EXPECT_EQ(run.run({"leave.slowly", "leave.alone"}).counts.pass, 2);
}

TEST(Run, ParametersAndSeedsReachTheCase) {
  TestRun run;
  run.plan_options.settings.seed = run.options.settings.seed = 77;
  run.plan_options.settings.parameters = {{"size", std::int64_t{9}}};
  run.run({"plain.process"});
  const CaseResult& result = run.result("plain.process");
  EXPECT_EQ(observed(result, "size"), "9");
  EXPECT_EQ(observed(result, "seed"), "\"" + std::to_string(case_seed(77, "plain.process")) + "\"");
  EXPECT_EQ(result.parameters.at("size"), harness::ParameterValue(std::int64_t{9}));
  EXPECT_EQ(result.rerun_command, "gpucheck run plain.process --device sim:h100 --seed 77 --parameter size=9");
}

TEST(Run, DefaultsAreReportedToo) {
  TestRun run;
  run.run({"plain.process"});
  EXPECT_EQ(run.result("plain.process").parameters.at("size"), harness::ParameterValue(std::int64_t{7}));
  EXPECT_EQ(run.result("plain.process").rerun_command, "gpucheck run plain.process --device sim:h100 --seed 0");
}

TEST(Run, AFaultReachesTheCaseAndItsChildren) {
  TestRun run;
  run.run({"fault.allocation"});
  EXPECT_EQ(run.result("fault.allocation").outcome, Outcome::pass) << run.result("fault.allocation").reason;
  auto plan = run.plan({"fault.allocation"});
  plan.cases[0].settings.fault = "no_memory";
  run.run_plan(plan);
  const CaseResult& faulty = run.result("fault.allocation");
  EXPECT_EQ(faulty.outcome, Outcome::fail);
  EXPECT_EQ(faulty.fault, "no_memory");
  EXPECT_EQ(observed(faulty, "here"), "false");
  EXPECT_EQ(observed(faulty, "in_child"), "false");
  EXPECT_TRUE(faulty.rerun_command.ends_with(" --fault no_memory")) << faulty.rerun_command;
  plan.cases[0].settings.fault = "nonsense";
  run.run_plan(plan);
  EXPECT_EQ(run.result("fault.allocation").outcome, Outcome::error);
}

TEST(Run, FailFastStopsStartingCases) {
  TestRun run;
  run.options.jobs = 1;
  run.options.fail_fast = true;
  run.run({"plain.pass", "plain.fail", "plain.process", "plain.own_process"});
  EXPECT_EQ(run.outcomes(), (Lines{"pass plain.pass", "fail plain.fail"}));
  EXPECT_EQ(run.not_run(), (Lines{"plain.process", "plain.own_process"}));
  EXPECT_EQ(run.summary.counts.not_run, 2);
  EXPECT_EQ(run.summary.exit_code, harness::ExitCode::failed);
}

TEST(Run, TheTimeoutReplacesTheDeadline) {
  TestRun run;
  run.options.timeout = std::chrono::milliseconds(100);
  run.run({"hang.long"});
  // Where the machine was busy, the time without a processor is reported as well, and nothing else.
  const std::regex expected(
      "not finished within its deadline of 100 ms(, extended by [0-9]+ ms as it waited for a processor that long)?");
  EXPECT_TRUE(std::regex_match(run.result("hang.long").reason, expected)) << run.result("hang.long").reason;
  EXPECT_LT(run.seconds, 30);
}

TEST(Run, ASlowReaderOfEventsMakesNoHang) {
  TestRun run;
  run.options.timeout = std::chrono::seconds(5);
  run.plan_options.settings.parameters = {{"megabytes", std::int64_t{4}}};  // more than a pipe holds
  run.sink.on_every_event = [&run] {
    if (run.sink.lines.back() == "case slow.a") std::this_thread::sleep_for(std::chrono::seconds(6));
  };
  run.run({"output.flood", "slow.a"});
  EXPECT_EQ(run.summary.counts.pass, 2) << run.result("output.flood").reason;
}

TEST(Run, WhatASinkThrowsComesThroughAndLeavesNoProcess) {
  TestRun run;
  run.sink.on_every_event = [&run] {
    if (run.sink.lines.size() == 3) throw EnvironmentError("disk full");
  };
  EXPECT_THROW(run.run({"slow.a", "slow.b"}), EnvironmentError);
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Run, AutoBecomesADevice) {
  TestRun run;
  run.options.settings.device = "auto";
  run.run({"plain.pass"});
  EXPECT_EQ(run.sink.started.devices.at(0).note, "no CUDA device: using the simulator");
  EXPECT_EQ(run.result("plain.pass").rerun_command, "gpucheck run plain.pass --device sim:h100 --seed 0");
}

/// The text of what is thrown, after its kind.
std::string failure_of(TestRun& run) {
  try {
    run.run({"plain.pass"});
  } catch (const UsageError& error) {
    return std::string("usage: ") + error.what();
  } catch (const EnvironmentError& error) {
    return std::string("environment: ") + error.what();
  }
  return "none";
}

TEST(Run, ADeviceThatCannotBeHadIsSaidWithTheDriversReason) {
  TestRun run;
  run.options.settings.device = "cuda";
  EXPECT_EQ(failure_of(run), "environment: cannot use the device \"cuda\": no CUDA-capable device is detected");
  run.options.settings.device = "gpu";
  EXPECT_EQ(failure_of(run), "usage: \"gpu\" is not a device: use auto or sim");
  run.options.settings.device = "dies";
  EXPECT_NE(failure_of(run).find("Its last words: the driver fell over"), std::string::npos);
  EXPECT_TRUE(run.sink.lines.empty());
  EXPECT_TRUE(run.folder.no_process_left());
}

TEST(Run, AProgramThatCannotBeStartedIsSaid) {
  TestRun run;
  run.options.program = "/nonexistent/gpucheck";
  EXPECT_EQ(failure_of(run),
            "environment: cannot start the process \"/nonexistent/gpucheck worker\": No such file or directory");
  run.options.program = "/bin/true";
  EXPECT_NE(failure_of(run).find("ended without an answer"), std::string::npos);
}

TEST(Run, TheDeviceCanBeAskedForAlone) {
  TestRun run;
  EXPECT_EQ(identify_devices(run.options).at(0).kind, "sim");
  run.options.settings.device = "cuda";
  EXPECT_THROW(identify_devices(run.options), EnvironmentError);
}

}  // namespace
}  // namespace gpucheck::runner::testing
