#include "runner/worker/message_channel.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gpucheck::runner {
namespace {

/// Above the numbers that programs which close or reuse "their" descriptors go through.
constexpr int lowest_descriptor = 500;

std::string system_text() { return std::strerror(errno); }

[[noreturn]] void lose_channel() {
  std::fprintf(stderr, "gpucheck worker: the result pipe is gone: %s\n", std::strerror(errno));
  std::_Exit(channel_lost_exit_code);
}

int move_out_of_the_way(int descriptor) {
  int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, lowest_descriptor);
  // A low limit on open files (ulimit -n) is not a reason to fail.
  if (moved < 0 && errno == EINVAL) moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (moved < 0) {
    throw Error(
        fmt::format("descriptor {} is not the channel of a worker: {}. Workers are started by \"gpucheck run\".",
                    descriptor, system_text()));
  }
  ::close(descriptor);
  return moved;
}

}  // namespace

MessageChannel::MessageChannel(int descriptor) : descriptor_(move_out_of_the_way(descriptor)), owner_(::getpid()) {}

MessageChannel::~MessageChannel() { ::close(descriptor_); }

std::optional<Request> MessageChannel::receive() {
  while (true) {
    if (auto body = decoder_.next()) return decode_request(*body);
    std::array<char, 4096> buffer;
    const ssize_t count = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      decoder_.append({buffer.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || errno == ECONNRESET) {
      return std::nullopt;
    } else if (errno != EINTR) {
      lose_channel();
    }
  }
}

void MessageChannel::send(const Reply& reply) {
  // The copy that a forking case made of this process must not be heard in its place.
  if (::getpid() != owner_) ::_exit(channel_lost_exit_code);
  const std::string frame = encode_frame(encode(reply));
  for (std::size_t sent = 0; sent < frame.size();) {
    // MSG_NOSIGNAL: a supervisor that has gone must not look like a crash of the case.
    const ssize_t count = ::send(descriptor_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      lose_channel();
    }
  }
}

}  // namespace gpucheck::runner
