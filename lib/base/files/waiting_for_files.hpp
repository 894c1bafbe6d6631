#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/error.hpp"

/// Waiting for a file that may never come, or that nobody reads from: a FIFO, a pipe, a terminal. Whoever waits hears
/// the signal that asks the process to end.
namespace gpucheck {

/// A signal asked the process to end while it waited for a file.
class InterruptedError : public Error {
 public:
  InterruptedError(const std::string& text, int signal) : Error(text), signal_(signal) {}
  [[nodiscard]] int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// Where the order to end arrives.
struct EndOrder {
  int descriptor = -1;        ///< can be read from when it has come; -1: there is none to listen to
  int (*signal)() = nullptr;  ///< which one it was
};

/// From now on waiting ends with the order. For one thread.
void listen_for_end(EndOrder order) noexcept;

/// Opens a file to read from; a FIFO without waiting for its writer. -1 when the system cannot; errno has the reason.
int open_for_reading(const std::string& path) noexcept;

/// As read(2) on what `open_for_reading` gave, but it waits until there is something, or the last writer has left.
/// @throws InterruptedError naming the path.
ssize_t read_when_ready(int descriptor, char* buffer, std::size_t size, const std::string& path);

/// As open(2) for writing; a FIFO once it has a reader. -1 when the system cannot; errno has the reason.
/// @throws InterruptedError naming the path.
int open_for_writing(const std::string& path, int flags, mode_t mode = 0666);

/// As write(2) of all of `text`, to whatever `descriptor` is. While nobody reads what a pipe or a terminal holds, it
/// waits. After the order to end it goes on as long as somebody reads: it gives up when nobody has read for three
/// seconds, and what is waited for after that has a moment only. False when the system cannot; errno has the reason.
/// @param path for the message. @throws InterruptedError naming the path when it gave up.
bool write_when_ready(int descriptor, std::string_view text, const std::string& path);

/// The same for a stream, whose buffer is written first. A failure shows in ferror(3), as it does with fwrite(3). Where
/// there is no order to listen to this is fwrite(3).
void write_when_ready(std::FILE* stream, std::string_view text, const std::string& path);

}  // namespace gpucheck
