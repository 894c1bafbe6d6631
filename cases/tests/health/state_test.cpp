#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases/tests/run_case.hpp"

// health.mode, health.recovery, health.inforom and health.processes.
namespace gpucheck::cases::test_of_state {
namespace {

using telemetry::Machine;
using telemetry::Reading;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Readings = std::map<Reading, telemetry::Value>;

Seen look(const char* name, const Readings& readings) {
  Machine machine = healthy_gpus(1);
  for (const auto& [reading, value] : readings) machine.gpus[0][reading] = value;
  return run_case(case_named(name), machine);
}

TEST(Mode, IsToldAndJudged) {
  const auto mode = [](const Readings& readings) { return look("health.mode", readings); };
  EXPECT_EQ(mode({}).number("compute_mode"), 0);
  EXPECT_EQ(mode({{Reading::compute_mode, 2L}}).number("compute_mode"), 2);
  EXPECT_FALSE(mode({}).flag("mig_change_pending"));
  EXPECT_TRUE(mode({{Reading::mig_pending, true}}).flag("mig_change_pending"));
  EXPECT_TRUE(mode({{Reading::mig_enabled, true}}).flag("mig_change_pending"));
  EXPECT_FALSE(mode({{Reading::mig_enabled, true}, {Reading::mig_pending, true}}).flag("mig_change_pending"));
  for (const Reading missing : {Reading::mig_enabled, Reading::mig_pending})
    EXPECT_EQ(mode({{missing, not_offered()}}).text("mig_change_pending"), "not available");
  EXPECT_THAT(mode({}).texts("not_as_recommended"), IsEmpty());
  EXPECT_THAT(mode({{Reading::persistence_mode, false}}).texts("not_as_recommended"),
              ElementsAre("persistence mode is off"));
  EXPECT_EQ(mode({{Reading::persistence_mode, not_offered()}}).text("not_as_recommended"), "not available");
  EXPECT_TRUE(mode({{Reading::mig_enabled, true}}).flag("mig_enabled"));
  EXPECT_FALSE(mode({{Reading::persistence_mode, false}}).flag("persistence_mode"));
}

TEST(Inforom, IsValidOrNot) {
  EXPECT_TRUE(look("health.inforom", {}).flag("valid"));
  EXPECT_FALSE(look("health.inforom", {{Reading::inforom_valid, false}}).flag("valid"));
}

/// The actions of NVML's nvmlDeviceGpuRecoveryAction_t, and the key of each.
TEST(Recovery, EachActionHasItsKey) {
  const std::vector<std::string> keys{
      "", "reset_wanted", "reboot_wanted", "drain_of_peers_wanted", "drain_and_reset_wanted", "imex_recovery_wanted"};
  for (std::int64_t action = 0; action < 8; ++action) {
    const Seen seen = look("health.recovery", {{Reading::recovery_action, action}});
    for (std::size_t i = 1; i < keys.size(); ++i)
      EXPECT_EQ(seen.flag(keys[i]), static_cast<std::int64_t>(i) == action) << keys[i] << " of " << action;
    const std::vector<std::int64_t> unknown = action > 5 ? std::vector{action} : std::vector<std::int64_t>{};
    EXPECT_EQ(seen.numbers("unknown_actions"), unknown) << action;
    EXPECT_EQ(seen.number("action"), action);
  }
}

// -- processes ----------------------------------------------------------------------------------------

constexpr std::int64_t gib = std::int64_t{1} << 30;

/// A GPU on which this process computes, and these others; each uses so much.
Machine computing(const std::vector<std::int64_t>& others, std::optional<std::int64_t> bytes_of_each = 0) {
  Machine machine = healthy_gpus(1);
  machine.gpus[0].processes = {{.pid = ::getpid(), .used_memory_bytes = bytes_of_each}};
  for (const std::int64_t pid : others)
    machine.gpus[0].processes.push_back({.pid = pid, .used_memory_bytes = bytes_of_each});
  return machine;
}

Seen processes(const Machine& machine, const Script& script = {}, harness::ParameterValues parameters = {}) {
  parameters.emplace("window_ms", std::int64_t{1});
  return run_case(case_named("health.processes"), machine, script, parameters);
}

TEST(Processes, OthersAreThoseThatAreNotOurs) {
  EXPECT_THAT(processes(computing({})).numbers("other_processes"), IsEmpty());
  EXPECT_THAT(processes(computing({1})).numbers("other_processes"), ElementsAre(1));
  EXPECT_EQ(processes(computing({1})).number("processes"), 2);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_THAT(processes(computing({child, 1})).numbers("other_processes"), ElementsAre(1)) << "its child is ours";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(processes(computing({child})).numbers("other_processes"), ElementsAre(child)) << "one that is gone";
}

TEST(Processes, AListWithoutThisProcessIsOfAnotherContainer) {
  Machine machine = healthy_gpus(1);
  machine.gpus[0].processes = {{.pid = 1, .used_memory_bytes = 0}};
  EXPECT_TRUE(processes(machine).is_skipped());
  Machine unknown = computing({});
  unknown.gpus[0].processes_problem = "not supported";
  EXPECT_TRUE(processes(unknown).is_skipped());
  unknown.gpus[0].processes_failed = true;
  EXPECT_EQ(processes(unknown).execution.status, harness::Execution::Status::error);
}

TEST(Processes, MemoryThatNobodyHasCountsBeyondItsLimit) {
  const auto unaccounted = [](std::int64_t used) {
    Machine machine = computing({1}, gib);
    machine.gpus[0][Reading::memory_graphics] = gib;
    machine.gpus[0][Reading::memory_used] = used;
    return processes(machine);
  };
  EXPECT_EQ(unaccounted(3 * gib).number("memory_without_process_bytes"), 0);
  EXPECT_EQ(unaccounted(2 * gib).number("memory_without_process_bytes"), 0) << "never less than nothing";
  EXPECT_EQ(unaccounted(4 * gib).number("memory_without_process_bytes"), gib);
  EXPECT_THAT(unaccounted(4 * gib).texts("memory_without_process"), IsEmpty());
  EXPECT_THAT(unaccounted(4 * gib + 1).texts("memory_without_process"),
              ElementsAre("1073741825 bytes, limit 1073741824"));
}

TEST(Processes, WhatTheyUseIsNotAlwaysKnown) {
  for (const Machine& machine : {computing({1}, std::nullopt),
                                 [] {
                                   Machine divided = computing({});
                                   divided.gpus[0][Reading::mig_enabled] = true;
                                   return divided;
                                 }(),
                                 [] {
                                   Machine without = computing({});
                                   without.gpus[0][Reading::memory_used] = not_offered();
                                   return without;
                                 }(),
                                 [] {
                                   Machine without = computing({});
                                   without.gpus[0][Reading::memory_graphics] = not_offered();
                                   return without;
                                 }()}) {
    const Seen seen = processes(machine);
    EXPECT_EQ(seen.text("memory_without_process"), "not available");
    EXPECT_EQ(seen.text("memory_without_process_bytes"), "unknown");
  }
}

/// Memory in use at each of the looks, of which the first is not for it.
Seen with_memory(const std::vector<std::int64_t>& used) {
  const Script script = [used](Machine& answer, Ask ask, std::size_t n) {
    if (ask == Ask::gpu && n > 0) answer.gpus[0][Reading::memory_used] = used.at(n - 1);
  };
  return processes(computing({}), script, {{"max_unaccounted", std::int64_t{100}}});
}

TEST(Processes, TheLeastOfFourLooksCounts) {
  EXPECT_EQ(with_memory({100}).number("memory_without_process_bytes"), 100) << "one look is enough";
  EXPECT_EQ(with_memory({900, 800, 850, 100}).number("memory_without_process_bytes"), 100);
  EXPECT_THAT(with_memory({900, 800, 850, 100}).texts("memory_without_process"), IsEmpty());
  const Seen all_above = with_memory({900, 800, 850, 950});
  EXPECT_EQ(all_above.number("memory_without_process_bytes"), 800);
  EXPECT_THAT(all_above.texts("memory_without_process"), ElementsAre("800 bytes, limit 100"));
}

}  // namespace
}  // namespace gpucheck::cases::test_of_state
