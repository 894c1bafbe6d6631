#include "telemetry/kernel_log/log_lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <string>

#include "telemetry/kernel_log/kernel_event.hpp"

namespace gpucheck::telemetry {
namespace {

using Seconds = std::optional<std::int64_t>;

/// The whole number that the text begins with; moves the text behind it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{}) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

Seconds since_boot(const LogClock& clock, std::int64_t seconds) {
  return clock.boot_s ? Seconds(*clock.boot_s + seconds) : std::nullopt;
}

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// "Nov 25 10:32:31", which must be all of `text`, in that year.
Seconds time_in_year(std::string_view text, std::int64_t year) {
  constexpr std::size_t length = 15;
  const auto* const month = std::ranges::find(months, text.substr(0, 3));
  if (text.size() != length || month == months.end()) return {};
  const std::string day = text[4] == ' ' ? "0" + std::string(text.substr(5, 1)) : std::string(text.substr(4, 2));
  return parse_utc(fmt::format("{:04}-{:02}-{}T{}Z", year, month - months.begin() + 1, day, text.substr(7)));
}

/// The latest such time that is not after the log was read, a day for other time zones aside.
Seconds time_without_year(std::string_view text, const LogClock& clock) {
  if (!clock.read_s) return {};
  constexpr std::int64_t day_s = 24 * 3600;
  const std::int64_t year = std::stoll(utc_text(*clock.read_s).substr(0, 4));
  const Seconds this_year = time_in_year(text, year);
  return this_year && *this_year <= *clock.read_s + day_s ? this_year : time_in_year(text, year - 1);
}

/// /dev/kmsg: "6,1042,52731094,-;MESSAGE", with microseconds since boot, and perhaps more fields before the semicolon.
std::optional<LogLine> kmsg_line(std::string_view line, const LogClock& clock) {
  std::string_view rest = line;
  constexpr std::int64_t microseconds = 1'000'000;
  if (!take_number(rest) || !take(rest, ",") || !take_number(rest) || !take(rest, ",")) return {};
  const auto time = take_number(rest);
  const std::size_t message = line.find(';');
  if (!time || !rest.starts_with(",") || message == std::string_view::npos) return {};
  return LogLine{.message = line.substr(message + 1), .time_s = since_boot(clock, *time / microseconds)};
}

/// What stands in brackets before a message: "[   52.731094]" or "[Wed Nov 25 10:32:31 2026]".
std::optional<LogLine> bracketed_line(std::string_view line, const LogClock& clock) {
  const std::size_t close = line.find(']');
  if (!line.starts_with("[") || close == std::string_view::npos) return {};
  std::string_view inside = line.substr(1, close - 1);
  inside.remove_prefix(std::min(inside.find_first_not_of(' '), inside.size()));
  std::string_view message = line.substr(close + 1);
  message.remove_prefix(std::min(message.find_first_not_of(' '), message.size()));
  constexpr std::size_t date_length = 24;
  if (inside.size() == date_length) {
    std::string_view year = inside.substr(20);
    const auto number = take_number(year);
    if (number) return LogLine{.message = message, .time_s = time_in_year(inside.substr(4, 15), *number)};
  }
  const auto seconds = take_number(inside);
  if (!seconds || !inside.starts_with(".")) return {};
  return LogLine{.message = message, .time_s = since_boot(clock, *seconds)};
}

/// What a log daemon puts before a message: "2026-11-25T10:32:31.123456+00:00 host kernel: " or "Nov 25 10:32:31 host
/// kernel: ", with the kernel's own time or without; dmesg with ISO times has neither host nor "kernel:".
std::optional<LogLine> dated_line(std::string_view line, const LogClock& clock) {
  constexpr std::size_t short_length = 15;
  std::size_t end = std::min(line.find(' '), line.size());
  Seconds time = parse_utc(line.substr(0, end));
  if (!time) {
    end = short_length;
    if (line.size() <= end || line[end] != ' ') return {};
    time = time_without_year(line.substr(0, end), clock);
    if (!time && !time_in_year(line.substr(0, end), 2000)) return {};
  }
  std::string_view message = line.substr(std::min(end + 1, line.size()));
  constexpr std::string_view kernel = "kernel: ";
  if (const std::size_t at = message.find(kernel); at != std::string_view::npos) {
    message.remove_prefix(at + kernel.size());
  }
  if (const auto inner = bracketed_line(message, clock)) message = inner->message;
  return LogLine{.message = message, .time_s = time};
}

/// A line of `journalctl -o export` or `-o json`, whose fields stand before the message in a line of their own.
class JournalExport {
 public:
  /// Nothing for a field that is not the message, but known as one.
  std::optional<LogLine> read(std::string_view line, bool& is_field) {
    constexpr std::string_view realtime = "__REALTIME_TIMESTAMP=";
    constexpr std::string_view message = "MESSAGE=";
    is_field = true;
    if (line.starts_with(realtime)) {
      std::string_view rest = line.substr(realtime.size());
      time_s_ = microseconds(rest);
      return {};
    }
    if (line.starts_with(message)) return LogLine{.message = line.substr(message.size()), .time_s = time_s_};
    is_field = false;
    return {};
  }

  static std::optional<LogLine> json(std::string_view line) {
    constexpr std::string_view message = "\"MESSAGE\":\"";
    constexpr std::string_view realtime = "\"__REALTIME_TIMESTAMP\":\"";
    const std::size_t begin = line.find(message);
    if (!line.starts_with("{") || begin == std::string_view::npos) return {};
    std::string_view text = line.substr(begin + message.size());
    std::size_t end = 0;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? std::size_t{2} : std::size_t{1};
    LogLine found{.message = text.substr(0, end), .time_s = {}};
    if (const std::size_t at = line.find(realtime); at != std::string_view::npos) {
      std::string_view rest = line.substr(at + realtime.size());
      found.time_s = microseconds(rest);
    }
    return found;
  }

 private:
  static Seconds microseconds(std::string_view& text) {
    constexpr std::int64_t in_a_second = 1'000'000;
    const auto number = take_number(text);
    return number ? Seconds(*number / in_a_second) : std::nullopt;
  }

  Seconds time_s_;
};

}  // namespace

void for_each_log_line(std::string_view log, const LogClock& clock, const std::function<void(const LogLine&)>& visit) {
  JournalExport journal;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    // /dev/kmsg adds what it knows of a message's device in lines that begin with a space.
    if (line.empty() || line.starts_with(" SUBSYSTEM=") || line.starts_with(" DEVICE=")) continue;
    bool is_field = false;
    auto found = journal.read(line, is_field);
    if (is_field && !found) continue;
    if (!found) found = JournalExport::json(line);
    if (!found) found = kmsg_line(line, clock);
    if (!found) found = bracketed_line(line, clock);
    if (!found) found = dated_line(line, clock);
    visit(found.value_or(LogLine{.message = line, .time_s = {}, .has_form = false}));
  }
}

}  // namespace gpucheck::telemetry
