#include "runner/process/separate_calls.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/error.hpp"
#include "harness/result/outcome_text.hpp"
#include "runner/process/child_process.hpp"

namespace gpucheck::runner {
namespace {

using Clock = std::chrono::steady_clock;

/// Begins a message; then its length and its text.
constexpr char text_mark = 'T';
constexpr char problem_mark = 'P';
using Length = std::uint64_t;
constexpr std::size_t head_bytes = 1 + sizeof(Length);

void write_message(int descriptor, char mark, const std::string& text) {
  const Length length = text.size();
  std::string message(1, mark);
  message.append(reinterpret_cast<const char*>(&length), sizeof length);
  message += text;
  for (std::string_view left = message; !left.empty();) {
    const ssize_t written = ::write(descriptor, left.data(), left.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
}

void leave_standard_streams() {
  const int nothing = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (nothing < 0 || ::dup2(nothing, stream) < 0) ::close(stream);
  }
}

[[noreturn]] void run_copy(const SeparateCalls::Work& work, int descriptor, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  leave_standard_streams();
  try {
    work([descriptor](const std::string& text) { write_message(descriptor, text_mark, text); });
  } catch (const std::exception& error) {
    write_message(descriptor, problem_mark, error.what());
  }
  ::_exit(0);
}

/// Its pipe is closed already; a driver may still hold what is left of it.
bool has_ended(pid_t process, int& status) {
  constexpr int tries = 20;
  for (int i = 0; i < tries; ++i) {
    if (::waitpid(process, &status, WNOHANG) == process) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace

SeparateCalls::~SeparateCalls() {
  for (const auto& call : calls_) {
    if (call->process > 0) ::kill(-call->process, SIGKILL);
    if (call->process > 0) ::kill(call->process, SIGKILL);  // before it leads a group of its own
    ::close(call->descriptor);
  }
  // A moment for those that can die; the others fall to whoever adopts orphans.
  constexpr int tries = 10;
  for (int i = 0; i < tries; ++i) {
    std::erase_if(
        calls_, [](const auto& call) { return call->process < 0 || ::waitpid(call->process, nullptr, WNOHANG) != 0; });
    if (calls_.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::size_t SeparateCalls::begin(const Work& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw EnvironmentError(fmt::format("cannot make a pipe to another process: {}", std::strerror(errno)));
  }
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
  auto call = std::make_unique<Call>();
  call->process = copy;
  call->descriptor = ends[0];
  calls_.push_back(std::move(call));
  return calls_.size() - 1;
}

void SeparateCalls::take_messages(Call& call) {
  while (call.unread.size() >= head_bytes) {
    Length length = 0;
    std::memcpy(&length, call.unread.data() + 1, sizeof length);
    if (call.unread.size() - head_bytes < length) return;
    const std::string text = call.unread.substr(head_bytes, length);
    (call.unread.front() == text_mark ? call.answer.text : call.answer.problem) = text;
    call.unread.erase(0, head_bytes + length);
  }
}

/// The end of the pipe is the end of the process: nothing else has its other end.
void SeparateCalls::read(Call& call) {
  std::array<char, 65536> bytes{};
  const ssize_t count = ::read(call.descriptor, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return;
  if (count > 0) {
    call.unread.append(bytes.data(), static_cast<std::size_t>(count));
    return take_messages(call);
  }
  call.answer.is_over = true;
  int status = 0;
  if (!has_ended(call.process, status)) return;
  call.process = -1;
  const ProcessEnd end = process_end(status);
  const bool is_clean = end.exit_code == 0;
  if (!is_clean && call.answer.problem.empty()) {
    call.answer.problem = harness::process_end_text(end.exit_code, end.signal);
  }
}

bool SeparateCalls::wait(const std::vector<std::size_t>& numbers, Clock::time_point deadline) {
  while (true) {
    std::vector<pollfd> pipes;
    std::vector<Call*> open;
    for (const std::size_t number : numbers) {
      Call& call = *calls_.at(number);
      if (call.answer.is_over) continue;
      pipes.push_back({.fd = call.descriptor, .events = POLLIN, .revents = 0});
      open.push_back(&call);
    }
    if (open.empty()) return true;
    // What has come by the deadline is taken, whoever else was waited for until then.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const int ready = ::poll(pipes.data(), pipes.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready <= 0 && left.count() <= 0) return false;
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (pipes[i].revents != 0) read(*open[i]);
    }
  }
}

const SeparateAnswer& SeparateCalls::answer(std::size_t number) const { return calls_.at(number)->answer; }

}  // namespace gpucheck::runner
