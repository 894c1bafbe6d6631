#include "base/files/waiting_for_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpucheck {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How long nobody need read what is written, once the order has come.
constexpr milliseconds patience{3000};
/// Likewise when that has been waited for already, with another file.
constexpr milliseconds moment{100};

EndOrder end_order;
std::optional<Clock::time_point> end_of_patience;  ///< none: the order has not been noticed

/// Until `descriptor` is ready, or `limit_ms` have passed; at once where the order has come.
/// @throws InterruptedError.
void wait(int descriptor, int limit_ms, const std::string& path) {
  // poll(2) passes over descriptors that are negative.
  std::array<pollfd, 2> watched{pollfd{.fd = descriptor, .events = POLLIN, .revents = 0},
                                pollfd{.fd = end_order.descriptor, .events = POLLIN, .revents = 0}};
  while (::poll(watched.data(), watched.size(), limit_ms) < 0 && errno == EINTR) {
  }
  if ((watched[1].revents & POLLIN) == 0) return;
  throw InterruptedError(fmt::format("ended by a signal while it waited for {}", path), end_order.signal());
}

bool order_has_come() {
  pollfd order{.fd = end_order.descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&order, 1, 0) > 0;
}

/// Until something can be written to `descriptor`, or a write would fail. @throws InterruptedError.
void wait_until_writable(int descriptor, const std::string& path) {
  while (true) {
    if (!end_of_patience && order_has_come()) end_of_patience = Clock::now() + patience;
    milliseconds left{-1};
    if (end_of_patience) {
      left = std::max(std::chrono::ceil<milliseconds>(*end_of_patience - Clock::now()), moment);
    }
    std::array<pollfd, 2> watched{
        pollfd{.fd = descriptor, .events = POLLOUT, .revents = 0},
        pollfd{.fd = end_of_patience ? -1 : end_order.descriptor, .events = POLLIN, .revents = 0}};
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
    if (watched[0].revents != 0 || (ready < 0 && errno != EINTR)) return;
    if (ready != 0) continue;
    throw InterruptedError(fmt::format("ended by a signal: nobody reads what is written to {}", path),
                           end_order.signal());
  }
}

/// How much can be written to what is ready without waiting: to a pipe an atomic piece, to a terminal the least that
/// its driver makes room for.
std::size_t piece_for(int descriptor) {
  constexpr std::size_t terminal_bytes = 256;
  return ::isatty(descriptor) == 1 ? terminal_bytes : PIPE_BUF;
}

bool is_fifo(const std::string& path) {
  struct stat present {};
  return ::stat(path.c_str(), &present) == 0 && S_ISFIFO(present.st_mode);
}

}  // namespace

void listen_for_end(EndOrder order) noexcept {
  end_order = order;
  end_of_patience.reset();
}

int open_for_reading(const std::string& path) noexcept {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

ssize_t read_when_ready(int descriptor, char* buffer, std::size_t size, const std::string& path) {
  while (true) {
    // A FIFO is not at its end while its first writer has still to come: Linux shows that by poll(2) alone.
    wait(descriptor, -1, path);
    const ssize_t count = ::read(descriptor, buffer, size);
    if (count >= 0 || (errno != EINTR && errno != EAGAIN)) return count;
  }
}

int open_for_writing(const std::string& path, int flags, mode_t mode) {
  constexpr int step_ms = 20;
  if (!is_fifo(path)) return ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  while (true) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, mode);
    if (descriptor >= 0) {
      ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
      return descriptor;
    }
    if (errno != ENXIO) return descriptor;
    wait(-1, step_ms, path);  // nobody reads it yet
  }
}

bool write_when_ready(int descriptor, std::string_view text, const std::string& path) {
  struct stat present {};
  // Nobody reads from a regular file: it takes all there is room for.
  const bool never_waits = ::fstat(descriptor, &present) == 0 && S_ISREG(present.st_mode);
  const std::size_t piece = never_waits ? text.size() : piece_for(descriptor);
  while (!text.empty()) {
    if (!never_waits) wait_until_writable(descriptor, path);
    const ssize_t written = ::write(descriptor, text.data(), std::min(text.size(), piece));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (written <= 0) continue;
    text.remove_prefix(static_cast<std::size_t>(written));
    if (end_of_patience && !never_waits) end_of_patience = Clock::now() + patience;
  }
  return true;
}

void write_when_ready(std::FILE* stream, std::string_view text, const std::string& path) {
  const int descriptor = ::fileno(stream);
  if (end_order.descriptor < 0 || descriptor < 0) {
    std::fwrite(text.data(), 1, text.size(), stream);
    return;
  }
  const std::size_t piece = piece_for(descriptor);
  do {
    wait_until_writable(descriptor, path);
    std::fflush(stream);
    const std::string_view next = text.substr(0, piece);
    std::fwrite(next.data(), 1, next.size(), stream);
    std::fflush(stream);
    text.remove_prefix(next.size());
    if (end_of_patience) end_of_patience = Clock::now() + patience;
  } while (!text.empty());
}

}  // namespace gpucheck
