#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace gpucheck::telemetry {

/// What the times in a log are counted from, seconds since 1970 UTC; nothing where it is not known.
struct LogClock {
  std::optional<std::int64_t> boot_s;  ///< for times since the machine was started
  std::optional<std::int64_t> read_s;  ///< when the log was read: for times without a year
};

/// A message without what the log puts before it, and when it was written, where the log says so.
struct LogLine {
  std::string_view message;
  std::optional<std::int64_t> time_s;
  bool has_form = true;  ///< one of those that `for_each_log_line` takes
};

/// Calls `visit` with each line of a log, in their order. Takes the forms of /dev/kmsg, of dmesg (plain, -T and ISO
/// times), of journalctl (short, ISO, monotonic, export) and of syslog files, line by line; of a line in any other
/// form the message is the whole line.
void for_each_log_line(std::string_view log, const LogClock& clock, const std::function<void(const LogLine&)>& visit);

}  // namespace gpucheck::telemetry
