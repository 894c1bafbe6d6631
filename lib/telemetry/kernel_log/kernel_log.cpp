#include "telemetry/kernel_log/kernel_log.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/units.hpp"

namespace gpucheck::telemetry {
namespace {

using namespace literals;

/// The kernel's buffer is a power of two, rarely beyond 16 MiB; /dev/kmsg adds to each record what is not in it.
constexpr std::size_t most_of_kmsg = 64_MiB;
/// Only the end of a file is read: what is newest.
constexpr std::size_t most_of_file = 256_MiB;

/// "btime 1764066751" of /proc/stat: when the machine was started.
std::optional<std::int64_t> boot_time(const std::string& root) {
  std::ifstream file(root + "/proc/stat");
  constexpr std::string_view mark = "btime ";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(mark)) continue;
    std::int64_t seconds = 0;
    const auto [_, problem] = std::from_chars(line.data() + mark.size(), line.data() + line.size(), seconds);
    if (problem == std::errc{}) return seconds;
  }
  return {};
}

LogClock clock_of(const std::string& root) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.boot_s = boot_time(root), .read_s = std::chrono::duration_cast<std::chrono::seconds>(now).count()};
}

/// A record at each read, until there is none.
std::string read_records(int descriptor, std::string& problem) {
  std::string log;
  std::array<char, 8192> record{};  // the longest that the kernel gives
  while (log.size() < most_of_kmsg) {
    const ssize_t length = ::read(descriptor, record.data(), record.size());
    if (length > 0) {
      log.append(record.data(), static_cast<std::size_t>(length));
    } else if (length == 0 || errno == EAGAIN) {
      break;
    } else if (errno != EINTR && errno != EPIPE) {  // EPIPE: records were overwritten before they could be read
      problem = std::strerror(errno);
      break;
    }
  }
  return log;
}

KernelLog events_of(std::string_view text, const LogClock& clock, const std::string& path) {
  KernelLog log{.found = events_in_log(text, clock), .clock = clock, .problem = {}};
  if (log.found.lines == 0) {
    log.problem = path + ": it is empty";
  } else if (log.found.lines_in_form == 0 && log.found.events.empty()) {
    log.problem = path + ": no line has the form of a kernel's log (/dev/kmsg, dmesg, journalctl -k, syslog)";
  }
  return log;
}

}  // namespace

KernelLog read_kernel_log(const std::string& root) {
  constexpr const char* name = "/dev/kmsg";
  const LogClock clock = clock_of(root);
  const int descriptor = ::open((root + name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return {.found = {}, .clock = clock, .problem = fmt::format("{}: {}", name, std::strerror(errno))};
  std::string problem;
  const std::string text = read_records(descriptor, problem);
  ::close(descriptor);
  if (!problem.empty()) return {.found = {}, .clock = clock, .problem = fmt::format("{}: {}", name, problem)};
  return events_of(text, clock, name);
}

KernelLog read_kernel_log_file(const std::string& path) {
  const LogClock clock = clock_of("");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return {.found = {}, .clock = clock, .problem = fmt::format("{}: {}", path, std::strerror(errno))};
  struct stat kind {};
  if (::fstat(descriptor, &kind) != 0 || !S_ISREG(kind.st_mode)) {
    ::close(descriptor);
    return {.found = {}, .clock = clock, .problem = path + ": it is not a regular file"};
  }
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  const bool is_long = size > static_cast<off_t>(most_of_file);
  ::lseek(descriptor, is_long ? size - static_cast<off_t>(most_of_file) : 0, SEEK_SET);
  std::string text;
  std::array<char, 65536> part{};
  ssize_t length = 0;
  while (text.size() < most_of_file && (length = ::read(descriptor, part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(length));
  }
  const std::string problem = length < 0 ? std::strerror(errno) : "";
  ::close(descriptor);
  if (!problem.empty()) return {.found = {}, .clock = clock, .problem = fmt::format("{}: {}", path, problem)};
  return events_of(text, clock, path);
}

}  // namespace gpucheck::telemetry
