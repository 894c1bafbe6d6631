#include "runner/process/launch.hpp"

#include <algorithm>
#include <array>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace gpucheck::runner {
namespace {

/// As the kernel takes them; they point into the texts.
std::vector<char*> words_of(const std::vector<std::string>& texts) {
  std::vector<char*> words;
  for (const std::string& text : texts) words.push_back(const_cast<char*>(text.c_str()));
  words.push_back(nullptr);
  return words;
}

[[noreturn]] void fail(int error, const char* what) {
  throw boost::system::system_error({error, boost::system::system_category()}, what);
}

// From here to `become` all runs between fork and exec, where only what is safe in a signal handler (signal-safety(7))
// is safe: no allocation, no stream, no exit handler.

/// Something that gives nothing to read. Where there is no /dev/null (a bare container), a
/// pipe that nobody writes to.
int open_for_nothing() {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (null >= 0) return null;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
  ::close(ends[1]);
  return ends[0];
}

/// At the hard limit of processor time the kernel kills without saying why; at the soft one it says so, by SIGXCPU.
void warn_of_processor_time() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY || limit.rlim_max < 2) return;
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max - 1);
  ::setrlimit(RLIMIT_CPU, &limit);
}

/// The program gets none of the descriptors above stderr.
void close_on_exec_above_stderr() {
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  // A kernel before 5.11.
  constexpr rlim_t most = 65536;
  rlimit limit{};
  const rlim_t end = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_cur, most) : most;
  for (int descriptor = STDERR_FILENO + 1; descriptor < static_cast<int>(end); ++descriptor) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
}

/// The program gets the descriptor under this number, or its own where that is -1.
bool hand_down(int descriptor, int number) {
  if (descriptor < 0) return true;
  if (number < 0 || number == descriptor) return ::fcntl(descriptor, F_SETFD, 0) == 0;
  return ::dup2(descriptor, number) == number;
}

struct Start {
  const Command& command;
  char* const* arguments;
  char* const* environment;
  int output;
  int error_output;
  pid_t parent;
};

/// Returns only when the process cannot become the program; errno says why.
void become(const Start& start) {
  if (start.command.own_group) ::setpgid(0, 0);
  warn_of_processor_time();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(EXIT_FAILURE);  // it died before the line above
  const int null = open_for_nothing();
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(start.output, STDOUT_FILENO) < 0 ||
      ::dup2(start.error_output, STDERR_FILENO) < 0) {
    return;
  }
  if (!start.command.folder.empty() && ::chdir(start.command.folder.c_str()) != 0) return;
  close_on_exec_above_stderr();
  if (!hand_down(start.command.inherited_descriptor, start.command.inherited_as)) return;
  ::execve(start.command.program.c_str(), start.arguments, start.environment);
}

/// The reason for which the new process did not become the program; 0 when it did, which closes the pipe.
int read_failure(int descriptor) {
  int failure = 0;
  ssize_t count = 0;
  do {
    count = ::read(descriptor, &failure, sizeof(failure));
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof(failure)) ? failure : 0;
}

}  // namespace

pid_t launch(const Command& command, int output, int error_output) {
  std::vector<char*> arguments = words_of(command.arguments);
  arguments.insert(arguments.begin(), const_cast<char*>(command.program.c_str()));
  std::vector<char*> environment = words_of(command.environment);
  std::array<int, 2> failures{};
  if (::pipe2(failures.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
  // What the program inherits must not take the number of that by which one learns that it did not start.
  if (command.inherited_as >= 0 && failures[1] == command.inherited_as) {
    const int moved = ::fcntl(failures[1], F_DUPFD_CLOEXEC, command.inherited_as + 1);
    const int problem = errno;
    ::close(failures[1]);
    failures[1] = moved;
    if (moved < 0) {
      ::close(failures[0]);
      fail(problem, "pipe");
    }
  }
  const Start start{.command = command,
                    .arguments = arguments.data(),
                    .environment = command.environment.empty() ? environ : environment.data(),
                    .output = output,
                    .error_output = error_output,
                    .parent = ::getpid()};
  const pid_t process = ::fork();
  if (process == 0) {
    become(start);
    const int failure = errno;
    [[maybe_unused]] const ssize_t written = ::write(failures[1], &failure, sizeof(failure));
    ::_exit(EXIT_FAILURE);
  }
  const int fork_error = errno;
  ::close(failures[1]);
  const int failure = process < 0 ? fork_error : read_failure(failures[0]);
  ::close(failures[0]);
  if (process > 0 && failure != 0) ::waitpid(process, nullptr, 0);  // nobody else would collect it
  if (failure != 0) fail(failure, process < 0 ? "fork" : "exec");
  return process;
}

}  // namespace gpucheck::runner
