#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "tests/support/subprocess.hpp"

// Every call of the system's that a run depends on fails, one at a time, by its position, in
// each kind of process. Whatever fails: the command ends by itself and soon, no report is cut
// short, and it passes only when all that was asked for is there and says so.
namespace gpucheck::application {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What the calls of one function may say when they fail.
const std::map<std::string, int>& errors() {
  static const std::map<std::string, int> errors{{"close_range", EINVAL},
                                                 {"dup2", EMFILE},
                                                 {"epoll_create1", EMFILE},
                                                 {"epoll_ctl", ENOMEM},
                                                 {"epoll_wait", EINTR},
                                                 {"eventfd", EMFILE},
                                                 {"fcntl", EMFILE},
                                                 {"fdatasync", EIO},
                                                 {"fork", EAGAIN},
                                                 {"fsync", EIO},
                                                 {"ftruncate", EIO},
                                                 {"mmap", ENOMEM},
                                                 {"open", EMFILE},
                                                 {"pipe", EMFILE},
                                                 {"pipe2", EMFILE},
                                                 {"poll", EINTR},
                                                 {"prctl", EINVAL},
                                                 {"pthread_create", EAGAIN},
                                                 {"read", EIO},
                                                 {"recv", ECONNRESET},
                                                 {"rename", ENOSPC},
                                                 {"send", EPIPE},
                                                 {"sendmsg", EPIPE},
                                                 {"setpgid", EPERM},
                                                 {"sigaction", EINVAL},
                                                 {"socketpair", EMFILE},
                                                 {"timerfd_create", EMFILE},
                                                 {"timerfd_settime", EINVAL},
                                                 {"unlink", EROFS},
                                                 {"waitpid", ECHILD},
                                                 {"write", ENOSPC}};
  return errors;
}

/// How often the processes of a run call a function: the most that one of them does.
using Counts = std::map<std::pair<std::string, std::string>, int>;

struct Run {
  explicit Run(const std::vector<std::string>& environment) {
    // `env` last, so that `timeout` is left alone.
    std::vector<std::string> words{"60", "/usr/bin/env", std::string("LD_PRELOAD=") + GPUCHECK_FAILING_CALLS};
    words.insert(words.end(), environment.begin(), environment.end());
    const std::vector<std::string> command{GPUCHECK_PROGRAM,
                                           "run",
                                           "alloc.oom_message",
                                           "assert.assert_async",
                                           "trace.memory_alloc",
                                           "--device",
                                           "sim",
                                           "--timeout",
                                           "5s",
                                           "--json",
                                           folder / "run.json",
                                           "--junit",
                                           folder / "run.xml"};
    words.insert(words.end(), command.begin(), command.end());
    const auto start = std::chrono::steady_clock::now();
    result = run_program("/usr/bin/timeout", words);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  [[nodiscard]] std::vector<std::string> files_left() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

  TemporaryFolder folder;
  CommandResult result;
  double seconds = 0;
};

Counts count_calls() {
  const TemporaryFolder folder;
  const Run run({"GPUCHECK_TEST_COUNTS=" + folder / "counts"});
  EXPECT_EQ(run.result.exit_code, 0) << run.result.output << run.result.error_output;
  Counts counts;
  std::istringstream lines(read_file(folder / "counts"));
  std::string role, function;
  for (int count = 0; lines >> role >> function >> count;) {
    int& most = counts[{role, function}];
    most = std::max(most, count);
  }
  return counts;
}

/// All of a few; of many the first ones, and some of the others.
std::vector<int> positions(int count) {
  constexpr int first = 12;
  constexpr int others = 8;
  std::vector<int> chosen;
  for (int i = 1; i <= std::min(count, first); ++i) chosen.push_back(i);
  const int step = std::max((count - first) / others, 1);
  for (int i = first + step; i <= count; i += step) chosen.push_back(i);
  return chosen;
}

void expect_whole_json(const Run& run) {
  const std::string path = run.folder / "run.json";
  if (!fs::exists(path)) return;
  const json document = json::parse(read_file(path), nullptr, false);  // its schema is checked by read_file
  ASSERT_FALSE(document.is_discarded()) << "the JSON report is cut short";
  if (run.result.exit_code == 0) {
    EXPECT_EQ(document["counts"]["pass"], 3);
  }
  // A report that says pass where the command does not is the worse, the later it is read.
  if (document["exit_code"] == 0) {
    EXPECT_EQ(run.result.exit_code, 0);
  }
}

void expect_whole_junit(const Run& run) {
  const std::string path = run.folder / "run.xml";
  if (!fs::exists(path)) return;
  pugi::xml_document document;
  EXPECT_TRUE(document.load_file(path.c_str())) << "the JUnit report is cut short";
}

/// @return the exit code.
int fail_call(const std::string& role, const std::string& function, int position) {
  const Run run({fmt::format("GPUCHECK_TEST_FAILS={} {} {} {}", role, function, position, errors().at(function))});
  const std::string trace =
      fmt::format("{} {} {}: {}{}", role, function, position, run.result.output, run.result.error_output);
  SCOPED_TRACE(trace);
  EXPECT_TRUE(std::set<int>({0, 1, 3}).contains(run.result.exit_code)) << run.result.exit_code;
  EXPECT_LT(run.seconds, 30);
  if (run.result.exit_code != 0) {
    EXPECT_NE(run.result.output + run.result.error_output, "") << "it does not say why";
  } else {
    EXPECT_TRUE(fs::exists(run.folder / "run.json"));
    EXPECT_TRUE(fs::exists(run.folder / "run.xml"));
  }
  for (const std::string& name : run.files_left()) {
    if (function != "unlink") {
      EXPECT_FALSE(name.ends_with(".tmp")) << name;
    }
  }
  expect_whole_json(run);
  expect_whole_junit(run);
  return run.result.exit_code;
}

class FaultCampaign : public ::testing::TestWithParam<const char*> {};

TEST_P(FaultCampaign, LosesNothingAndPassesNothing) {
  const std::string wanted = GetParam();
  std::map<int, int> exit_codes;
  int runs = 0;
  for (const auto& [call, count] : count_calls()) {
    const auto& [role, function] = call;
    if (role != wanted) continue;
    for (const int position : positions(count)) {
      ++exit_codes[fail_call(role, function, position)];
      ++runs;
    }
  }
  EXPECT_GT(runs, 0);
  std::cout << fmt::format("{}: {} calls failed, one at a time; exit code 0: {}, 1: {}, 3: {}\n", wanted, runs,
                           exit_codes[0], exit_codes[1], exit_codes[3]);
}

INSTANTIATE_TEST_SUITE_P(Processes, FaultCampaign, ::testing::Values("supervisor", "worker", "child"),
                         [](const auto& information) { return std::string(information.param); });

}  // namespace
}  // namespace gpucheck::application
