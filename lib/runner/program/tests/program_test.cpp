#include "runner/program/program.hpp"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/tests/temporary_folder.hpp"

namespace gpucheck::runner {
namespace {

namespace fs = std::filesystem;
using harness::ProgramEnd;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// A program of one script.
class Program : public ::testing::Test {
 protected:
  /// @param first_line none: a file that says nothing of its interpreter.
  void write(const std::string& script, const std::string& first_line = "#!/bin/sh\n") const {
    std::ofstream(path()) << first_line << script;
    ::chmod(path().c_str(), 0755);
  }
  ProgramEnd run(const std::string& script) {
    write(script);
    return run();
  }
  ProgramEnd run() {
    return run_program({.path = path(), .folder = folder_.file("."), .environment = {"PATH=/usr/bin:/bin", "WORD=a b"}},
                       [this](std::string_view bytes) { seen_ += bytes; });
  }
  std::string rejection() {
    try {
      static_cast<void>(run());
    } catch (const EnvironmentError& problem) {
      return problem.what();
    }
    return "";
  }
  [[nodiscard]] std::string path() const { return folder_.file("program"); }

  /// Whether the process whose number stands in the file is gone within a second.
  [[nodiscard]] bool is_gone(const std::string& file) const {
    pid_t id = 0;
    std::ifstream(folder_.file(file)) >> id;
    EXPECT_GT(id, 0) << file;
    for (int i = 0; i < 100 && id > 0; ++i) {
      if (::kill(id, 0) != 0) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  TemporaryFolder folder_;
  std::string seen_;
};

TEST_F(Program, WritesToADescriptorOfItsOwn) {
  const ProgramEnd end =
      run("echo words; echo more >&2; echo observed >&3; echo $WORD $(pwd -P) >&3; cat >&3; ls /proc/self/fd >&3");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_FALSE(end.signal.has_value());
  // Nothing to read, and of this process's descriptors none: ls has one more, of the folder that it lists.
  EXPECT_EQ(seen_, fmt::format("observed\na b {}\n0\n1\n2\n3\n4\n", fs::canonical(folder_.file(".")).string()));
}

TEST_F(Program, TellsHowItEnded) {
  EXPECT_EQ(run("exit 77").exit_code, 77);
  EXPECT_EQ(run("kill -SEGV $$").signal, SIGSEGV);
  EXPECT_EQ(run("exec >&3 3>&-; echo all").exit_code, 0);
  EXPECT_EQ(seen_, "all\n");
}

TEST_F(Program, MayCloseItsDescriptorAndGoOn) { EXPECT_EQ(run("exec 3>&-; sleep 0.1; exit 5").exit_code, 5); }

TEST_F(Program, IsReadToItsLastByte) {
  EXPECT_EQ(run("i=0; while [ $i -lt 64 ]; do printf '%01024d' $i >&3; i=$((i + 1)); done").exit_code, 0);
  EXPECT_EQ(seen_.size(), 65536U);
}

TEST_F(Program, ThatKillsItsGroupKillsNoWorker) { EXPECT_EQ(run("kill -KILL 0").signal, SIGKILL); }

// Its end is its own: a process that it leaves behind keeps neither the case nor a device.
TEST_F(Program, LeavesNothingBehind) {
  const Clock::time_point start = Clock::now();
  const ProgramEnd end =
      run("sh -c 'echo $$ >child; exec sleep 60' &\n"
          "setsid sh -c 'echo $$ >daemon; exec sleep 60' &\n"
          "while [ ! -s child ] || [ ! -s daemon ]; do sleep 0.01; done\n"
          "echo done >&3");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(seen_, "done\n");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30)) << "it waited for those that keep the descriptor open";
  EXPECT_TRUE(is_gone("child"));
  EXPECT_TRUE(is_gone("daemon"));
}

TEST_F(Program, EndsWhereWhatItWritesIsRefused) {
  write("echo $$ >own; while :; do echo line >&3; done");
  const auto take = [](std::string_view) { throw Error("refused"); };
  EXPECT_THROW(
      static_cast<void>(run_program({.path = path(), .folder = folder_.file("."), .environment = {"A=b"}}, take)),
      Error);
  EXPECT_TRUE(is_gone("own"));
}

TEST_F(Program, ThatCannotBeStartedSaysWhatToDo) {
  write("exit 0", "");
  EXPECT_THAT(rejection(), HasSubstr("Exec format error: begin a script with the line \"#!/bin/sh\""));
  write("exit 0", "#!/no/such/interpreter\n");
  EXPECT_THAT(rejection(), HasSubstr("the interpreter that its first line names is not on this machine"));
  write("exit 0");
  ::chmod(path().c_str(), 0644);
  EXPECT_THAT(rejection(), HasSubstr("Permission denied: make it executable with chmod +x"));
  fs::remove(path());
  EXPECT_THAT(rejection(), HasSubstr("No such file or directory: either it is gone"));
}

// The descriptor by which a process learns that a program did not start may have the number that the program is to find
// its own under.
TEST_F(Program, ThatCannotBeStartedIsNoticedWhateverDescriptorsAreFree) {
  write("exit 0", "#!/no/such/interpreter\n");
  std::vector<int> taken;
  for (int descriptor = 3; descriptor < 12; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) < 0) taken.push_back(::dup2(STDIN_FILENO, descriptor));
  }
  for (const int descriptor : taken) ::close(descriptor);
  for (std::size_t held = 0; held < taken.size(); ++held) {
    std::vector<int> copies;
    for (std::size_t i = 0; i < held; ++i) copies.push_back(::dup(STDIN_FILENO));
    EXPECT_THAT(rejection(), HasSubstr("its first line names")) << held;
    for (const int copy : copies) ::close(copy);
  }
}

}  // namespace
}  // namespace gpucheck::runner
