#include "runner/program/program.hpp"

#include <array>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "runner/limits/environment_fault.hpp"
#include "runner/process/adopted_processes.hpp"
#include "runner/process/launch.hpp"
#include "runner/process/output.hpp"

namespace gpucheck::runner {
namespace {

using Take = std::function<void(std::string_view)>;

/// At a time, so that a program that writes without end is looked at again and again.
constexpr std::size_t read_at_most = std::size_t{256} << 10;

/// The way out of what keeps a program from being started.
std::string_view advice_for(int error) {
  switch (error) {
    case ENOEXEC:
      return ": begin a script with the line \"#!/bin/sh\", for example, or compile a program for this machine";
    case ENOENT:
      return ": either it is gone, or the interpreter that its first line names is not on this machine";
    case EACCES:
      return ": make it executable with chmod +x, and look whether its file system is mounted noexec";
    case E2BIG:
      return ": the values of its parameters and the environment are too long";
    default:
      return "";
  }
}

pid_t start_program(const harness::ProgramStart& start, int descriptor) {
  const Command command{.program = start.path,
                        .arguments = {},
                        .own_group = true,
                        .inherited_descriptor = descriptor,
                        .inherited_as = harness::program_descriptor,
                        .folder = start.folder,
                        .environment = start.environment};
  try {
    return launch(command, STDOUT_FILENO, STDERR_FILENO);
  } catch (const boost::system::system_error& problem) {
    throw EnvironmentError(
        fmt::format("cannot start {}: {}{}", start.path, problem.code().message(), advice_for(problem.code().value())));
  }
}

/// A program under way, and what it writes. At its end nothing of it is left.
class RunningProgram {
 public:
  explicit RunningProgram(const harness::ProgramStart& start) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw EnvironmentError(fmt::format("cannot make a pipe to a program: {}", std::strerror(errno)));
    }
    reader_ = ends[0];
    ::fcntl(reader_, F_SETFL, O_NONBLOCK);
    try {
      id_ = start_program(start, ends[1]);
    } catch (...) {
      ::close(ends[0]);
      ::close(ends[1]);
      throw;
    }
    ::close(ends[1]);
  }

  ~RunningProgram() {
    ::kill(-id_, SIGKILL);
    adopted_.kill_all_but({});  // the program itself, too, where it is still there
    ::close(reader_);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  [[nodiscard]] pid_t id() const noexcept { return id_; }

  /// Until it has ended. That its descriptor is closed says nothing: it may go on, and what it started may keep it
  /// open.
  ProcessEnd wait(const Take& take) {
    constexpr int step_ms = 20;
    bool is_open = true;
    while (is_open) {
      const std::optional<ProcessEnd> end = ended(WNOHANG);
      is_open = read_for(end ? 0 : step_ms, take);
      if (end) return *end;  // what it wrote was there when it ended
    }
    return *ended(0);
  }

 private:
  /// @return nothing where it has not ended, which WNOHANG alone allows.
  [[nodiscard]] std::optional<ProcessEnd> ended(int options) const {
    int status = 0;
    pid_t found = 0;
    do {
      found = ::waitpid(id_, &status, options);
    } while (found < 0 && errno == EINTR);
    if (found == 0) return std::nullopt;
    return found == id_ ? process_end(status) : ProcessEnd{};
  }

  /// Waits for something to read, then takes it. @return whether there may be more.
  [[nodiscard]] bool read_for(int wait_ms, const Take& take) const {
    pollfd pipe{.fd = reader_, .events = POLLIN, .revents = 0};
    if (::poll(&pipe, 1, wait_ms) <= 0) return true;
    return read_available(reader_, read_at_most, take) != ReadState::closed;
  }

  AdoptedProcesses adopted_;
  int reader_ = -1;
  pid_t id_ = -1;
};

}  // namespace

harness::ProgramEnd run_program(const harness::ProgramStart& start, const Take& take) {
  const OomWatch oom_watch;
  const OomReading before = oom_watch.read();
  RunningProgram program(start);
  const ProcessEnd end = program.wait(take);
  if (const auto fault = fault_of_end(end, program.id(), before, oom_watch)) {
    throw EnvironmentError("the program of the case was ended: " + fault->text);
  }
  return {.exit_code = end.exit_code, .signal = end.signal};
}

}  // namespace gpucheck::runner
