#include "runner/process/signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/files/unfinished_files.hpp"
#include "base/files/waiting_for_files.hpp"

namespace gpucheck::runner {
namespace {

constexpr std::array orders{SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
constexpr std::int64_t repetition_ms = 1000;

// What the handler touches.
std::atomic<pid_t> owner = 0;
std::atomic<int> wake_descriptor = -1;
std::atomic<bool> in_run = false;
std::atomic<int> first_order = 0;
std::atomic<std::int64_t> last_signal_ms = 0;
std::atomic<bool> answered = false;
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// What is restored; used by the thread that makes guards.
int guards = 0;
std::array<struct sigaction, orders.size()> previous_actions;
struct sigaction previous_child_action;
sigset_t previous_mask;

std::int64_t now_ms() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void end_process(int number) noexcept {
  if (::getpid() == owner) remove_unfinished_files();
  ::signal(number, SIG_DFL);
  ::raise(number);  // comes when the handler has returned
}

void answer() noexcept {
  std::array<char, 2048> text{};
  std::size_t length = 0;
  const auto append = [&](std::string_view words) { length += words.copy(text.data() + length, text.size() - length); };
  append("gpucheck: the run is ending");
  std::array<char, 1800> names{};
  const std::size_t names_length = name_unfinished_files(names);
  if (names_length > 0) append("; still to be written: ");
  append({names.data(), names_length});
  append("; Ctrl-C once more ends it at once\n");
  pollfd stream{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  // Where nobody reads stderr, a write would wait, and no later signal be heard.
  if (::poll(&stream, 1, 0) == 1) static_cast<void>(!::write(STDERR_FILENO, text.data(), length));
}

void take_order(int number) noexcept {
  const std::int64_t now = now_ms();
  const std::int64_t since_last = now - last_signal_ms.exchange(now);
  int none = 0;
  if (first_order.compare_exchange_strong(none, number)) {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(wake_descriptor, &one, sizeof one));
    return;
  }
  if (since_last < repetition_ms) return;
  const bool from_keyboard = number == SIGINT || number == SIGQUIT;
  if (answered.exchange(true) && from_keyboard) return end_process(number);
  answer();
}

void handle(int number, siginfo_t* information, void* /*context*/) {
  const int error = errno;
  // A write that failed says so itself, and the kernel names this process as the sender.
  const bool of_own_write = (number == SIGPIPE || number == SIGXFSZ) && information->si_pid == ::getpid();
  if (::getpid() != owner) {
    end_process(number);  // a copy of this process that has not become another one yet
  } else if (in_run) {
    if (!of_own_write) take_order(number);
  } else if (!of_own_write || number == SIGPIPE) {
    end_process(number);
  }
  errno = error;
}

void listen() {
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int number : orders) sigaddset(&action.sa_mask, number);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    ::sigaction(orders[i], nullptr, &previous_actions[i]);
    if (previous_actions[i].sa_handler != SIG_IGN) ::sigaction(orders[i], &action, nullptr);
  }
  struct sigaction heard {};
  heard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &heard, &previous_child_action);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, &previous_mask);
}

void restore() {
  ::sigprocmask(SIG_SETMASK, &previous_mask, nullptr);
  ::sigaction(SIGCHLD, &previous_child_action, nullptr);
  for (std::size_t i = 0; i < orders.size(); ++i) ::sigaction(orders[i], &previous_actions[i], nullptr);
}

}  // namespace

SignalGuard::SignalGuard() {
  if (guards > 0) {
    ++guards;
    return;
  }
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) throw EnvironmentError(fmt::format("cannot listen to signals: {}", std::strerror(errno)));
  ++guards;
  owner = ::getpid();
  wake_descriptor = descriptor;
  listen();
}

SignalGuard::~SignalGuard() {
  if (--guards > 0) return;
  listen_for_end({});
  restore();
  in_run = false;
  first_order = 0;
  last_signal_ms = 0;
  answered = false;
  ::close(wake_descriptor.exchange(-1));
}

void SignalGuard::begin_run() noexcept {
  in_run = guards > 0;
  if (in_run) listen_for_end({.descriptor = wake_descriptor, .signal = [] { return first_order.load(); }});
}
int SignalGuard::order() const noexcept { return first_order; }
int SignalGuard::descriptor() const noexcept { return wake_descriptor; }

}  // namespace gpucheck::runner
