#include "runner/plan/run_deadline.hpp"

#include <atomic>
#include <fmt/format.h>
#include <poll.h>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/unfinished_files.hpp"
#include "harness/run/exit_codes.hpp"

namespace gpucheck::runner {
namespace {

using std::chrono::milliseconds;

std::atomic<int> last_exit_code = static_cast<int>(harness::ExitCode::not_judged);

/// Where nobody reads stderr, a write would wait.
void say_if_heard(const std::string& text) {
  pollfd stream{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&stream, 1, 0) == 1) static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
}

[[noreturn]] void end_process(milliseconds limit, milliseconds patience) {
  try {
    std::thread([limit] {
      say_if_heard(
          fmt::format("gpucheck: the run's deadline of {} ms is there and the process is not done: it ends "
                      "without what it has not written\n",
                      limit.count()));
      remove_unfinished_files();  // may wait for a file system
      ::_exit(last_exit_code);
    }).detach();
    std::this_thread::sleep_for(patience);
  } catch (const std::system_error&) {  // no thread is left to try it on
  }
  ::_exit(last_exit_code);
}

}  // namespace

void end_process_at(const RunDeadline& deadline) {
  // What is left between this and the deadline is for the kernel, which takes the process apart.
  const milliseconds patience = deadline.limit() / 100 < milliseconds(20) ? deadline.limit() / 100 : milliseconds(20);
  try {
    std::thread([deadline, patience] {
      std::this_thread::sleep_until(deadline.end() - 2 * patience);
      end_process(deadline.limit(), patience);
    }).detach();
  } catch (const std::system_error& problem) {
    throw EnvironmentError(
        fmt::format("the run's deadline cannot be kept, as no thread can be started: {}", problem.code().message()));
  }
}

void set_last_exit_code(int exit_code) noexcept { last_exit_code = exit_code; }

}  // namespace gpucheck::runner
