#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tests/support/subprocess.hpp"

/// What signals leave behind: whole reports, and nothing else.
namespace gpucheck::application {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

// After which a signal is sent: the run has begun then.
#ifdef GPUCHECK_TEST_SANITIZED
constexpr double begun_after_seconds = 3;
constexpr int rounds = 1;
#else
constexpr double begun_after_seconds = 0.5;
constexpr int rounds = 5;
#endif

std::string run_that_hangs(const TemporaryFolder& folder) {
  return fmt::format("{} run bad.hangs proof.watchful --device sim --json {} --junit {}", GPUCHECK_FIXTURE_PROGRAM,
                     folder / "r.json", folder / "r.xml");
}

void expect_whole_reports(const TemporaryFolder& folder, int signal) {
  EXPECT_THAT(names_in(folder), ElementsAre("r.json", "r.json.journal", "r.xml"));
  const json document = json::parse(read_file(folder / "r.json"));
  EXPECT_EQ(document["interrupted_by_signal"], signal);
  EXPECT_EQ(document["exit_code"], 128 + signal);
  EXPECT_THAT(read_file(folder / "r.xml"), HasSubstr("</testsuites>"));
}

TEST(Signals, TimeoutWhichSendsTwoLosesNoReport) {
  for (const auto& [name, number] : {std::pair("TERM", SIGTERM), {"INT", SIGINT}}) {
    for (int round = 0; round < rounds; ++round) {
      const TemporaryFolder folder;
      shell(fmt::format("timeout -s {} {} {}", name, begun_after_seconds, run_that_hangs(folder)));
      expect_whole_reports(folder, number);
    }
  }
}

TEST(Signals, EachEndsARunWithItsReports) {
  for (const int signal : {SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGXFSZ}) {
    const TemporaryFolder folder;
    const CommandResult result =
        shell(fmt::format("timeout -s {} {} {}; exit $?", signal, begun_after_seconds, run_that_hangs(folder)));
    expect_whole_reports(folder, signal);
  }
}

#ifndef GPUCHECK_TEST_THREAD_SANITIZED  // which holds a signal back until the call under way returns, and this one does
                                        // not

/// A command of the fixture whose stdout is a pipe that nobody has read from yet.
class StalledReader {
 public:
  explicit StalledReader(const std::string& arguments, const TemporaryFolder& folder, int pipe_bytes = 65536) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    ::fcntl(ends[1], F_SETPIPE_SZ, pipe_bytes);
    const std::string command = fmt::format("exec {} 2>{} {}", GPUCHECK_FIXTURE_PROGRAM, folder / "stderr", arguments);
    process_ = ::fork();
    if (process_ == 0) {
      ::signal(SIGINT, SIG_DFL);
      ::dup2(ends[1], STDOUT_FILENO);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    reader_ = ends[0];
  }
  StalledReader(const StalledReader&) = delete;
  StalledReader& operator=(const StalledReader&) = delete;
  ~StalledReader() {
    if (process_ > 0) wait(SIGKILL);
    ::close(reader_);
  }

  void signal(int number) const { ::kill(process_, number); }

  /// Sends the signal, 0 for none, and gives the wait status.
  int wait(int number) {
    signal(number);
    int status = -1;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

  /// The first word that comes.
  std::string read_some() const {
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(reader_, buffer.data(), buffer.size());
    const std::string text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return text.substr(0, text.find(' '));
  }

  /// To its end.
  std::string read_all() const {
    std::string text;
    std::array<char, 4096> buffer;
    for (ssize_t count = 1; count > 0;) {
      count = ::read(reader_, buffer.data(), buffer.size());
      if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  pid_t process_ = -1;
  int reader_ = -1;
};

/// Its document is more than a pipe holds: it is still being written when the run is over.
constexpr const char* long_report = "run proof.watchful --repeat 300 --device sim --quiet --json -";

bool comes_to_its_end(const TemporaryFolder& folder) {
  for (int i = 0; i < 1200; ++i) {
    if (read_file(folder / "stderr").find("300 passed") != std::string::npos) return true;
    std::this_thread::sleep_for(milliseconds(50));
  }
  return false;
}

TEST(Signals, WhoeverAsksAgainIsToldWhatIsStillBeingWritten) {
  const TemporaryFolder folder;
  StalledReader command(long_report, folder);
  ASSERT_TRUE(comes_to_its_end(folder));
  command.signal(SIGINT);
  std::this_thread::sleep_for(milliseconds(1200));
  command.signal(SIGINT);
  std::this_thread::sleep_for(milliseconds(1200));
  command.signal(SIGTERM);  // may be a program's: says nothing more than the first time
  const json document = json::parse(command.read_all());
  EXPECT_EQ(document["cases"].size(), 300U);
  const int status = command.wait(0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), document["exit_code"]);
  EXPECT_THAT(
      read_file(folder / "stderr"),
      HasSubstr("gpucheck: the run is ending; still to be written: stdout; Ctrl-C once more ends it at once\n"));
}

constexpr int small_pipe = 16384;

/// Until the file, which grows with the run, has stopped growing.
bool stands_still(const std::string& path) {
  std::uintmax_t before = 0;
  int same = 0;
  for (int i = 0; i < 300 && same < 15; ++i) {
    std::this_thread::sleep_for(milliseconds(100));
    std::error_code absent;
    const std::uintmax_t size = std::filesystem::file_size(path, absent);
    same = !absent && size == before && size > 100'000 ? same + 1 : 0;  // with the results of some hundred cases
    before = size;
  }
  return same == 15;
}

/// How long it took to end, and that it ended as one that was interrupted does.
void expect_prompt_end(StalledReader& command, int signal) {
  const auto start = std::chrono::steady_clock::now();
  const int status = command.wait(signal);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(25));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
}

TEST(Signals, TheFirstEndsARunWhoseConsoleNobodyReads) {
  for (const auto& [streams, signal] : {std::pair("", SIGTERM), {"2>&1", SIGINT}}) {
    const TemporaryFolder folder;
    const std::string paths = fmt::format("--json {} --junit {}", folder / "r.json", folder / "r.xml");
    StalledReader command(fmt::format("run proof.watchful --repeat 2000 --device sim --jobs 1 {} {}", paths, streams),
                          folder, small_pipe);
    ASSERT_TRUE(stands_still(folder / "r.json.journal"));
    expect_prompt_end(command, signal);
    const json document = json::parse(read_file(folder / "r.json"));
    EXPECT_EQ(document["interrupted_by_signal"], signal);
    EXPECT_EQ(document["exit_code"], 128 + signal);
    EXPECT_GT(document["cases"].size(), 1U);
    EXPECT_LT(document["cases"].size(), 2000U);
    EXPECT_THAT(read_file(folder / "r.xml"), HasSubstr("</testsuites>"));
    EXPECT_THAT(shell(fmt::format("$0 report {}", folder / "r.json.journal")).output, HasSubstr("INTERRUPTED"));
  }
}

TEST(Signals, TheFirstEndsAReportThatNobodyReads) {
  for (const char* option : {"--json", "--junit", "--journal"}) {
    const TemporaryFolder folder;
    ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
    const int reader = ::open((folder / "fifo").c_str(), O_RDWR | O_CLOEXEC);
    ::fcntl(reader, F_SETPIPE_SZ, small_pipe);
    const bool is_json = std::string_view(option) == "--json";
    StalledReader command(fmt::format("run proof.watchful --repeat 300 --device sim --quiet {} {} {} {}", option,
                                      folder / "fifo", is_json ? "--junit" : "--json", folder / "other"),
                          folder);
    if (std::string_view(option) == "--journal") {
      std::this_thread::sleep_for(std::chrono::seconds(2));
    } else {
      ASSERT_EQ(command.read_some(), "PASSED") << option;
    }
    std::this_thread::sleep_for(milliseconds(500));
    expect_prompt_end(command, SIGTERM);
    EXPECT_THAT(read_file(folder / "stderr"), HasSubstr("nobody reads what is written to " + (folder / "fifo")));
    const std::string other = read_file(folder / "other");
    if (is_json) {
      EXPECT_THAT(other, HasSubstr("</testsuites>"));
    } else {
      EXPECT_EQ(json::parse(other)["exit_code"], 143);
    }
    ::close(reader);
  }
}

TEST(Signals, AThirdOrderFromTheKeyboardEndsARunThatCannotEnd) {
  const TemporaryFolder folder;
  StalledReader command(fmt::format("{} --junit {}", long_report, folder / "r.xml"), folder);
  ASSERT_TRUE(comes_to_its_end(folder));
  for (int i = 0; i < 2; ++i) {
    command.signal(SIGINT);
    std::this_thread::sleep_for(milliseconds(1200));
  }
  const int status = command.wait(SIGINT);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  for (const std::string& name : names_in(folder)) EXPECT_THAT(name, ::testing::AnyOf("stderr", "r.xml"));
}

#endif

TEST(Signals, ACommandThatRunsNothingEndsAtOnce) {
  // By the time it writes, nobody has been there for long.
  const CommandResult result =
      shell(fmt::format("{{ sleep 1; exec {} list --json; }} | true; exit ${{PIPESTATUS[0]}}", GPUCHECK_PROGRAM));
  EXPECT_EQ(result.exit_code, 128 + SIGPIPE);
  EXPECT_EQ(result.error_output, "");
}

}  // namespace
}  // namespace gpucheck::application
