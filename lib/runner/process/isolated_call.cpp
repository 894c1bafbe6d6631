#include "runner/process/isolated_call.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/error.hpp"
#include "runner/process/adopted_processes.hpp"

namespace gpucheck::runner {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The answer begins with one of these; what follows is the number or the text. One that
/// lacks its end was cut off.
constexpr char returned_mark = 'R';
constexpr char usage_mark = 'U';
constexpr char error_mark = 'E';
constexpr char end_mark = '\0';

std::string answer_of(const std::function<int()>& work) {
  try {
    return fmt::format("{}{}", returned_mark, work());
  } catch (const UsageError& error) {
    return fmt::format("{}{}", usage_mark, error.what());
  } catch (const std::exception& error) {
    return fmt::format("{}{}", error_mark, error.what());
  }
}

[[noreturn]] void run_copy(const std::function<int()>& work, int descriptor, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  const std::string answer = answer_of(work) + end_mark;
  for (std::string_view left = answer; !left.empty();) {
    const ssize_t written = ::write(descriptor, left.data(), left.size());
    if (written < 0 && errno != EINTR) break;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(0);
}

bool is_whole(const std::string& answer) { return answer.size() >= 2 && answer.ends_with(end_mark); }

/// What is there now, after up to `wait` for the first of it.
void read_for(milliseconds wait, int descriptor, std::string& answer) {
  pollfd pipe{.fd = descriptor, .events = POLLIN, .revents = 0};
  while (::poll(&pipe, 1, static_cast<int>(wait.count())) > 0) {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
    if (count <= 0) return;
    answer.append(bytes.data(), static_cast<std::size_t>(count));
    wait = milliseconds(0);
  }
}

struct Watched {
  std::string answer;
  std::optional<ProcessEnd> end;  ///< absent: still there
};

/// Until it has answered, or ended, or the deadline. Its end does not show in the pipe's: what
/// it started may keep that open.
Watched watch(pid_t process, int descriptor, Clock::time_point deadline) {
  constexpr milliseconds step{20};
  Watched seen;
  while (Clock::now() < deadline && !is_whole(seen.answer) && !seen.end) {
    const Clock::time_point next = Clock::now() + step;
    int status = 0;
    if (::waitpid(process, &status, WNOHANG) == process) seen.end = process_end(status);
    read_for(seen.end ? milliseconds(0) : step, descriptor, seen.answer);
    if (!is_whole(seen.answer) && !seen.end) std::this_thread::sleep_until(next);  // the pipe may have been closed
  }
  return seen;
}

int returned_number(const std::string& answer) {
  const std::string text = answer.substr(1, answer.size() - 2);
  if (answer.front() == usage_mark) throw UsageError(text);
  if (answer.front() == error_mark) throw EnvironmentError(text);
  return std::stoi(text);
}

}  // namespace

IsolatedCall call_isolated(const std::function<int()>& work, milliseconds limit) {
  AdoptedProcesses adopted;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw EnvironmentError(fmt::format("cannot make a pipe to another process: {}", std::strerror(errno)));
  }
  const Clock::time_point deadline = Clock::now() + limit;
  const pid_t parent = ::getpid();
  const pid_t copy = ::fork();
  if (copy == 0) {
    ::close(ends[0]);
    run_copy(work, ends[1], parent);
  }
  const int fork_error = errno;
  ::close(ends[1]);
  if (copy < 0) {
    ::close(ends[0]);
    throw EnvironmentError(fmt::format("cannot start another process: {}", std::strerror(fork_error)));
  }
  const Watched seen = watch(copy, ends[0], deadline);
  ::close(ends[0]);
  if (!seen.end) ::kill(-copy, SIGKILL);
  adopted.kill_all_but({});  // the process itself too, where it is still there
  if (is_whole(seen.answer)) return {.returned = returned_number(seen.answer), .timed_out = false, .process = {}};
  return {.returned = {}, .timed_out = !seen.end, .process = seen.end.value_or(ProcessEnd{})};
}

}  // namespace gpucheck::runner
