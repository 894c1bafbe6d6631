#include <array>
#include <chrono>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "runner/process/signals.hpp"
#include "test_run.hpp"

/// What becomes of a run when its supervisor is interrupted or killed.
namespace gpucheck::runner::testing {
namespace {

/// `gpucheck_misbehaving supervise NAME…` with its stdout in a pipe.
class SupervisorProcess {
 public:
  enum class Mask { open, full };

  /// @param mask signals that its parent has blocked: none, or all.
  explicit SupervisorProcess(const std::vector<std::string>& names, Mask mask = Mask::open) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    std::vector<std::string> words = {GPUCHECK_MISBEHAVING, "supervise"};
    words.insert(words.end(), names.begin(), names.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      // Whoever runs the tests in the background may have them ignored.
      for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE}) ::signal(number, SIG_DFL);
      if (mask == Mask::full) {
        sigset_t all;
        sigfillset(&all);
        ::sigprocmask(SIG_SETMASK, &all, nullptr);
      }
      ::dup2(ends[1], STDOUT_FILENO);
      ::execv(GPUCHECK_MISBEHAVING, arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~SupervisorProcess() {
    if (process_ > 0) finish(SIGKILL);
    ::close(output_);
  }
  SupervisorProcess(const SupervisorProcess&) = delete;
  SupervisorProcess& operator=(const SupervisorProcess&) = delete;

  [[nodiscard]] pid_t id() const noexcept { return process_; }
  void signal(int number) const { ::kill(process_, number); }

  /// Sends the signal and gives the wait status.
  int finish(int number) {
    signal(number);
    return wait();
  }

  /// Sends the signal again and again until the process has ended; gives the wait status.
  int pester(int number) {
    int status = -1;
    while (::waitpid(process_, &status, WNOHANG) == 0) {
      signal(number);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process_ = -1;
    return status;
  }

  int wait() {
    int status = -1;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

  /// False when the output ends without it.
  bool wait_for_output(const std::string& text) {
    while (text_.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }

  /// All of it, to its end.
  const std::string& read_output() {
    while (read_some()) {
    }
    return text_;
  }

 private:
  bool read_some() {
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(output_, buffer.data(), buffer.size());
    if (count > 0) text_.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  pid_t process_ = -1;
  int output_ = -1;
  std::string text_;
};

TEST(Interrupt, AKilledSupervisorLeavesNoProcess) {
  const TestFolder folder;
  SupervisorProcess supervisor({"hang.long", "children.for_ever"});
  ASSERT_TRUE(folder.wait_for_mark("hanging"));
  ASSERT_TRUE(folder.wait_for_mark("sleeping_child"));
  EXPECT_EQ(folder.processes().size(), 4U);
  supervisor.finish(SIGKILL);
  EXPECT_TRUE(folder.no_process_left());
}

TEST(Interrupt, ASignalEndsTheRunWithWhatIsKnown) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TestFolder folder;
    SupervisorProcess supervisor({"plain.pass", "hang.long", "slow.exclusive_a"});
    ASSERT_TRUE(folder.wait_for_mark("hanging"));
    ASSERT_TRUE(supervisor.wait_for_output("pass plain.pass\n"));
    const auto start = std::chrono::steady_clock::now();
    const int status = supervisor.finish(signal);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), signal == SIGINT ? 130 : 143);
    const std::string& output = supervisor.read_output();
    EXPECT_NE(output.find("pass plain.pass\n"), std::string::npos) << output;
    EXPECT_NE(output.find("finished 1 not_run 2 signal " + std::to_string(signal) + "\n"), std::string::npos) << output;
    EXPECT_TRUE(folder.no_process_left());
  }
}

TEST(Interrupt, AnOrderToEveryProcessOfAJobIsNoCrash) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2}) {
    const TestFolder folder;
    SupervisorProcess supervisor({"hang.long", "children.for_ever"});
    ASSERT_TRUE(folder.wait_for_mark("hanging"));
    ASSERT_TRUE(folder.wait_for_mark("sleeping_child"));
    // The workers and the child first: longer before the supervisor than it takes to notice that one has died.
    for (const pid_t process : folder.processes()) {
      if (process != supervisor.id()) ::kill(process, signal);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const int status = supervisor.finish(signal);
    ASSERT_TRUE(WIFEXITED(status)) << signal;
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    const std::string& output = supervisor.read_output();
    EXPECT_NE(output.find("finished 0 not_run 2 signal " + std::to_string(signal) + "\n"), std::string::npos) << output;
    EXPECT_TRUE(folder.no_process_left());
  }
}

TEST(Interrupt, WhateverAsksForTheEndIsTheSame) {
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ}) {
    const TestFolder folder;
    SupervisorProcess supervisor({"hang.long"});
    ASSERT_TRUE(folder.wait_for_mark("hanging"));
    const int status = supervisor.finish(signal);
    ASSERT_TRUE(WIFEXITED(status)) << signal;
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_NE(supervisor.read_output().find("finished 0 not_run 1 signal " + std::to_string(signal) + "\n"),
              std::string::npos);
    EXPECT_TRUE(folder.no_process_left());
  }
}

TEST(Interrupt, ARepetitionIsNoSecondOrder) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TestFolder folder;
    SupervisorProcess supervisor({"hang.long"});
    ASSERT_TRUE(folder.wait_for_mark("hanging"));
    const int status = supervisor.pester(signal);
    ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal);
    EXPECT_NE(supervisor.read_output().find("finished 0 not_run 1"), std::string::npos);
  }
}

TEST(Interrupt, AParentThatBlocksSignalsDoesNotMakeThemIneffective) {
  const TestFolder folder;
  SupervisorProcess supervisor({"hang.long"}, SupervisorProcess::Mask::full);
  ASSERT_TRUE(folder.wait_for_mark("hanging"));
  const auto start = std::chrono::steady_clock::now();
  const int status = supervisor.finish(SIGTERM);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 143);
}

TEST(Interrupt, AReaderWhoHasGoneIsNoOrder) {
  TestRun run;
  run.sink.on_every_event = [] {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ::close(ends[0]);
    EXPECT_EQ(::write(ends[1], "x", 1), -1);
    ::close(ends[1]);
  };
  EXPECT_EQ(run.run({"plain.pass"}).exit_code, harness::ExitCode::passed);
}

TEST(Interrupt, AnOrderThatCameBeforeTheRunIsHeard) {
  const SignalGuard guard;
  SignalGuard::begin_run();
  ::raise(SIGTERM);
  TestRun run;
  EXPECT_EQ(static_cast<int>(run.run({"plain.pass"}).exit_code), 143);
  EXPECT_EQ(run.not_run(), (std::vector<std::string>{"plain.pass"}));
}

TEST(Interrupt, AnOrderIsForOneRun) {
  {
    const SignalGuard guard;
    SignalGuard::begin_run();
    ::raise(SIGTERM);
    EXPECT_EQ(guard.order(), SIGTERM);
    const SignalGuard shares_it;
    EXPECT_EQ(shares_it.order(), SIGTERM);
  }
  const SignalGuard next;
  EXPECT_EQ(next.order(), 0);
  TestRun run;
  EXPECT_EQ(run.run({"plain.pass"}).exit_code, harness::ExitCode::passed);
}

TEST(Interrupt, BeforeTheDeviceHasAnsweredThereIsAReportToo) {
  const TestFolder folder;
  ::setenv("GPUCHECK_RUNNER_TEST_DEVICE", "slow", 1);
  SupervisorProcess supervisor({"plain.pass"});
  ::unsetenv("GPUCHECK_RUNNER_TEST_DEVICE");
  while (folder.processes().size() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const int status = supervisor.finish(SIGTERM);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 143);
  EXPECT_EQ(supervisor.read_output(), "started 1 on \nfinished 0 not_run 1 signal 15\n");
  EXPECT_TRUE(folder.no_process_left());
}

TEST(Interrupt, SignalsDoAfterARunWhatTheyDidBefore) {
  static volatile sig_atomic_t seen = 0;
  struct sigaction mine {};
  mine.sa_handler = [](int) { seen = 1; };
  struct sigaction before {};
  ::sigaction(SIGINT, &mine, &before);
  TestRun run;
  run.run({"plain.pass"});
  ::raise(SIGINT);
  EXPECT_EQ(seen, 1);
  ::sigaction(SIGINT, &before, nullptr);
}

TEST(Interrupt, ASignalThatTheProcessIgnoresStaysIgnored) {
  ::signal(SIGTERM, SIG_IGN);
  TestRun run;
  run.sink.on_every_event = [] { ::raise(SIGTERM); };
  EXPECT_EQ(run.run({"plain.pass"}).exit_code, harness::ExitCode::passed);
  ::signal(SIGTERM, SIG_DFL);
}

TEST(Interrupt, IgnoredEndsOfChildrenDoNotLoseTheirStatus) {
  ::signal(SIGCHLD, SIG_IGN);
  TestRun run;
  run.run({"crash.exit7"});
  EXPECT_EQ(run.result("crash.exit7").exit_code, 7);
  ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace gpucheck::runner::testing
