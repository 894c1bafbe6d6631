#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/result/failure_kinds.hpp"
#include "test_run.hpp"

/// What a run makes of cases that meet a limit of the machine: nothing that a GPU answers for.
namespace gpucheck::runner::testing {
namespace {

namespace files = std::filesystem;
using harness::CaseResult;
using harness::Outcome;
using ::testing::HasSubstr;

std::string text_of(const files::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write(const files::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

/// Where this process may make a cgroup with a memory limit of its own: nowhere, in many containers.
class MemoryCgroup {
 public:
  explicit MemoryCgroup(const std::string& limit) {
    const bool is_version_1 = files::exists("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    const files::path top = is_version_1 ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
    const std::string controllers = text_of("/proc/self/cgroup");
    const std::string mark = is_version_1 ? ":memory:" : "0::";
    const std::size_t begin = controllers.find(mark);
    if (begin == std::string::npos) return;
    const std::size_t path = begin + mark.size();
    before_ = top / ("." + controllers.substr(path, controllers.find('\n', path) - path));
    own_ = top / ("gpucheck_test_" + std::to_string(::getpid()));
    std::error_code problem;
    if (!files::create_directory(own_, problem)) return;
    is_made_ = write(own_ / (is_version_1 ? "memory.limit_in_bytes" : "memory.max"), limit) &&
               write(own_ / "cgroup.procs", std::to_string(::getpid()));
  }
  MemoryCgroup(const MemoryCgroup&) = delete;
  MemoryCgroup& operator=(const MemoryCgroup&) = delete;
  ~MemoryCgroup() {
    std::error_code ignored;
    write(before_ / "cgroup.procs", std::to_string(::getpid()));
    if (!own_.empty()) files::remove(own_, ignored);
  }
  [[nodiscard]] bool is_made() const { return is_made_; }

 private:
  files::path before_;
  files::path own_;
  bool is_made_ = false;
};

/// A limit of this process, and so of those that it starts; as before at the end.
class ResourceLimit {
 public:
  ResourceLimit(__rlimit_resource resource, rlim_t soft) : resource_(resource) {
    ::getrlimit(resource_, &before_);
    const rlimit now{.rlim_cur = soft, .rlim_max = before_.rlim_max};
    ::setrlimit(resource_, &now);
  }
  ResourceLimit(const ResourceLimit&) = delete;
  ResourceLimit& operator=(const ResourceLimit&) = delete;
  ~ResourceLimit() { ::setrlimit(resource_, &before_); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

#ifdef GPUCHECK_TEST_SANITIZED  // with which a process that has just started uses 100 MB
constexpr const char* memory_limit = "800000000";
constexpr const char* memory_limit_text = "762.94 MiB";
#else
constexpr const char* memory_limit = "100000000";
constexpr const char* memory_limit_text = "95.37 MiB";
#endif

/// One error that names the limit, between cases that are unharmed.
class Limits : public ::testing::Test {
 protected:
  void expect_error(const std::string& name, const std::string& failure, const std::string& words) {
    run_.options.jobs = 1;
    run_.run({"plain.pass", name, "plain.process"});
    EXPECT_EQ(run_.result("plain.pass").outcome, Outcome::pass);
    EXPECT_EQ(run_.result("plain.process").outcome, Outcome::pass);
    const CaseResult& result = run_.result(name);
    EXPECT_EQ(result.outcome, Outcome::error) << result.reason;
    EXPECT_THAT(result.reason, HasSubstr(words));
    const auto kinds = harness::failures_of(result);
    ASSERT_EQ(kinds.size(), 1U);
    EXPECT_EQ(kinds[0]->name, failure);
    EXPECT_EQ(kinds[0]->action, harness::NextAction::configure);
    EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::not_judged);
  }

  TestRun run_;
};

TEST_F(Limits, AKillAtTheMemoryLimitOfACgroupIsAnError) {
  const MemoryCgroup cgroup(memory_limit);
  if (!cgroup.is_made()) GTEST_SKIP() << "no cgroup can be made here";
  expect_error("limit.memory", "memory_limit",
               fmt::format("the memory limit of its cgroup was reached ({}, /sys/fs/cgroup", memory_limit_text));
}

TEST_F(Limits, SoIsOneOfAProcessThatTheCaseStarted) {
  const MemoryCgroup cgroup(memory_limit);
  if (!cgroup.is_made()) GTEST_SKIP() << "no cgroup can be made here";
  expect_error("limit.childs_memory", "memory_limit", "a process that the case started was ended");
}

TEST_F(Limits, AFileThatMayGrowNoFurtherIsAnError) {
  const ResourceLimit limit(RLIMIT_FSIZE, 100'000);
  expect_error("limit.file_size", "file_size_limit", "(SIGXFSZ): a file reached the size that its process may write");
}

TEST_F(Limits, ProcessorTimeThatIsUsedUpIsAnError) {
  const auto run_limited = [this] {
    // Soft and hard alike, as `ulimit -t` sets them: at the hard one the kernel kills without a word.
    const rlimit limited{.rlim_cur = 3, .rlim_max = 3};
    ::setrlimit(RLIMIT_CPU, &limited);
    expect_error("limit.processor_time", "process_ended_by_system", "(SIGXCPU)");
    ::_exit(HasFailure() ? 1 : 0);
  };
  // In a copy of this process, which has used no time yet: the case has as much as the process that starts it.
  EXPECT_EXIT(run_limited(), ::testing::ExitedWithCode(0), "");
}

TEST_F(Limits, AThreadThatCannotBeStartedIsAnError) {
  expect_error("limit.threads", "process_limit", "Resource temporarily unavailable");
}

TEST_F(Limits, MemoryThatNobodyGotAndNobodyMissedInTimeIsAnError) {
  expect_error("limit.uncaught", "host_memory_refused", "(SIGABRT): terminate called after throwing");
}

TEST_F(Limits, ACallThatAFilterForbidsIsAnError) {
  expect_error("limit.forbidden", "process_ended_by_system", "(SIGSYS)");
}

TEST_F(Limits, AKillThatNothingExplainsIsACrashThatNoGpuAnswersFor) {
  const MemoryCgroup cgroup("1000000000");  // in which nothing is short
  run_.run({"crash.kill"});
  const CaseResult& result = run_.result("crash.kill");
  EXPECT_EQ(result.outcome, Outcome::crash);
  EXPECT_EQ(result.reason, "killed by signal 9 (SIGKILL)");
  const auto kinds = harness::failures_of(result);
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0]->name, "process_killed");
  EXPECT_EQ(kinds[0]->action, harness::NextAction::rerun);
  EXPECT_EQ(run_.summary.exit_code, harness::ExitCode::failed);
}

}  // namespace
}  // namespace gpucheck::runner::testing
