#include "runner/limits/environment_fault.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "harness/result/failure_kinds.hpp"

namespace gpucheck::runner {
namespace {

namespace files = std::filesystem;
using ::testing::HasSubstr;

/// A machine that counts the processes it has killed for want of memory, in a cgroup with a limit of 60 MiB.
class EnvironmentFaultTest : public ::testing::Test {
 protected:
  EnvironmentFaultTest() {
    std::string name = (files::temp_directory_path() / "gpucheck_fault_XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    write("/proc/self/cgroup", "0::/job\n");
    write("/proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write("/sys/fs/cgroup/job/memory.max", "62914560\n");
    count(1, 1);
  }
  ~EnvironmentFaultTest() override {
    std::error_code ignored;
    files::remove_all(root_, ignored);
  }

  void write(const std::string& path, const std::string& text) const {
    files::create_directories(files::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void count(int limits_hit, int kills) const {
    write("/sys/fs/cgroup/job/memory.events",
          "oom " + std::to_string(limits_hit) + "\noom_kill " + std::to_string(kills) + "\n");
  }

  std::string root_;
};

TEST_F(EnvironmentFaultTest, AKillForWantOfMemoryIsOfTheLimitOrOfTheMachine) {
  const OomWatch watch(root_);
  const OomReading before = watch.read();
  const ProcessEnd killed{.exit_code = {}, .signal = SIGKILL};
  EXPECT_FALSE(fault_of_end(killed, 1, before, watch)) << "somebody else killed it";
  count(2, 2);
  const auto by_limit = fault_of_end(killed, 1, before, watch);
  ASSERT_TRUE(by_limit);
  EXPECT_EQ(by_limit->failure, "memory_limit");
  EXPECT_EQ(by_limit->text,
            "the kernel killed its process because the memory limit of its cgroup was reached (60.00 MiB, "
            "/sys/fs/cgroup/job)");
  count(1, 2);
  const auto by_machine = fault_of_end(killed, 1, before, watch);
  ASSERT_TRUE(by_machine);
  EXPECT_EQ(by_machine->failure, "out_of_host_memory");
  EXPECT_EQ(by_machine->text, "the kernel killed its process because the machine had no memory left");
  for (const int signal : {SIGABRT, SIGSEGV, SIGTERM}) {
    EXPECT_FALSE(fault_of_end({.exit_code = {}, .signal = signal}, 1, before, watch)) << signal;
  }
  EXPECT_FALSE(fault_of_end({.exit_code = 1, .signal = {}}, 1, before, watch));
  EXPECT_FALSE(fault_of_end({}, 1, before, watch));
}

TEST_F(EnvironmentFaultTest, ASignalOfALimitIsThatLimits) {
  const OomWatch watch(root_);
  const auto fault = [&](int signal) {
    return fault_of_end({.exit_code = {}, .signal = signal}, 1, watch.read(), watch).value();
  };
  EXPECT_EQ(fault(SIGXCPU).failure, "process_ended_by_system");
  EXPECT_THAT(fault(SIGXCPU).text, HasSubstr("ulimit -t"));
  EXPECT_EQ(fault(SIGSYS).failure, "process_ended_by_system");
  EXPECT_THAT(fault(SIGSYS).text, HasSubstr("seccomp"));
  EXPECT_EQ(fault(SIGXFSZ).failure, "file_size_limit");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = std::size_t{3} << 30;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &lower), 0);
  const std::string text = fault(SIGXFSZ).text;
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(text, "a file reached the size that its process may write (3.00 GiB; ulimit -f)");
}

TEST_F(EnvironmentFaultTest, AStandstillNamesTheLimit) {
  const EnvironmentFault fault = fault_of_standstill(OomWatch(root_));
  EXPECT_EQ(fault.failure, "memory_limit");
  EXPECT_EQ(
      fault.text,
      "its process stood still at the memory limit of its cgroup (60.00 MiB, /sys/fs/cgroup/job), which is set not "
      "to kill");
}

struct WordsOfALimit {
  std::string words;
  std::string_view failure;
};

TEST_F(EnvironmentFaultTest, WordsOfASystemSayWhatWasLacking) {
  for (const auto& [words, failure] : std::vector<WordsOfALimit>{
           {"the kernel killed its process because the memory limit of its cgroup", "memory_limit"},
           {"the kernel killed its process because the machine had no memory left", "out_of_host_memory"},
           {"what(): std::bad_alloc", "host_memory_refused"},
           {"mmap: Cannot allocate memory", "host_memory_refused"},
           {"no addresses (ulimit -v)", "host_memory_refused"},
           {"1.00 GiB left to page-lock", "host_memory_refused"},
           {"Resource temporarily unavailable", "process_limit"},
           {"open: Too many open files in system", "open_file_limit"},
           {"write: No space left on device", "no_space"},
           {"write: Disk quota exceeded", "no_space"},
           {"write: File too large", "file_size_limit"},
           {"killed by signal 25 (SIGXFSZ)", "file_size_limit"},
           {"killed by signal 24 (SIGXCPU)", "process_ended_by_system"},
           {"killed by signal 31 (SIGSYS)", "process_ended_by_system"}}) {
    const auto fault = fault_in_words(words);
    ASSERT_TRUE(fault) << words;
    EXPECT_EQ(fault->failure, failure) << words;
    EXPECT_EQ(fault->text, words);
    EXPECT_NE(harness::find_failure_kind(failure), nullptr);
  }
  EXPECT_FALSE(fault_in_words("killed by signal 11 (SIGSEGV)"));
  EXPECT_FALSE(fault_in_words(""));
}

TEST_F(EnvironmentFaultTest, BlamingALimitMakesOfACaseAnError) {
  harness::CaseResult result;
  result.outcome = harness::Outcome::crash;
  result.mismatches.push_back({.key = "first", .expected = "", .seen = "", .basis = "math"});
  blame_environment(result, {"no_space", "nothing left"});
  EXPECT_EQ(result.outcome, harness::Outcome::error);
  ASSERT_EQ(result.mismatches.size(), 2U);
  EXPECT_EQ(result.mismatches[1].key, "environment");
  EXPECT_EQ(result.mismatches[1].seen, "nothing left");
  EXPECT_EQ(result.mismatches[1].basis, "rule");
  EXPECT_EQ(result.mismatches[1].failure, harness::find_failure_kind("no_space")->code);
}

}  // namespace
}  // namespace gpucheck::runner
