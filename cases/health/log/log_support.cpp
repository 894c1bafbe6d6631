#include "cases/health/log/log_support.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "harness/xid/judge.hpp"
#include "telemetry/kernel_log/kernel_log.hpp"
#include "telemetry/machine/stand_in.hpp"
#include "telemetry/sampler.hpp"

namespace gpucheck::cases::in_health {
namespace {

using telemetry::KernelEvent;

/// 86400 of "24h".
std::optional<std::int64_t> seconds_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::int64_t most = 1'000'000'000;
  if (problem != std::errc{} || number < 0 || number > most) return {};
  if (unit == "s") return number;
  if (unit == "m" || unit == "min") return number * 60;
  if (unit == "h") return number * 3600;
  if (unit == "d") return number * 86400;
  return {};
}

}  // namespace

harness::Parameter since_parameter() {
  return {.name = "since",
          .summary =
              "From when on errors count: reset (the last reset of the GPU or load of its driver that the log has), "
              "boot, a duration before now (90min, 24h, 7d) or a time (2026-11-25, 2026-11-25T10:32:31Z)",
          .default_value = std::string("reset")};
}

harness::Parameter kernel_log_parameter() {
  return {
      .name = "kernel_log",
      .summary =
          "A file to read instead of /dev/kmsg, as dmesg, journalctl -k or a syslog daemon write it; empty: "
          "/dev/kmsg. Simulated GPUs take the place of the GPUs that the file names, in the order of their addresses",
      .default_value = std::string()};
}

telemetry::Machine machine_beside_log(harness::Context& context) {
  try {
    std::string problem;
    return machine_or_host(context, problem);
  } catch (const telemetry::NoAnswer&) {
    telemetry::Machine machine;
    machine.host = telemetry::read_host();
    return machine;
  }
}

JudgedLog::JudgedLog(harness::Context& context, const telemetry::Machine& machine) {
  const telemetry::Host& host = machine.host;
  const auto& path = context.parameter<std::string>("kernel_log");
  std::string problem = host.kernel_log_problem;
  std::optional<std::int64_t> read_s = host.kernel_log_read_s;
  if (path.empty()) {
    events_ = host.kernel_events;
    begin_s_ = host.kernel_log_begin_s;
  } else {
    telemetry::KernelLog log = telemetry::read_kernel_log_file(path);
    problem = log.problem;
    read_s = log.clock.read_s;
    begin_s_ = log.found.begin_s;
    events_ = std::move(log.found.events);
    telemetry::stand_in(events_, machine);
  }
  if (!problem.empty()) throw harness::Skip("the kernel's log cannot be read: " + problem);
  const auto& since = context.parameter<std::string>("since");
  until_reset_ = since == "reset";
  if (until_reset_ || since == "boot") return;
  from_s_ = telemetry::parse_utc(since);
  const auto duration = seconds_of(since);
  if (duration && read_s) from_s_ = *read_s - *duration;
  if (from_s_ || duration) return;
  throw EnvironmentError(
      fmt::format("since={}: expected reset, boot, a duration such as 24h or a time such as 2026-11-25", since));
}

bool JudgedLog::is_late_enough(std::size_t index) const {
  const auto& last = events_.at(index).last_time_s;
  return !from_s_ || !last || *last >= *from_s_;
}

bool JudgedLog::counts(std::size_t index) const {
  return is_late_enough(index) && !(until_reset_ && telemetry::is_ended(events_, index));
}

bool JudgedLog::counts_for_absent(std::size_t index) const { return is_late_enough(index); }

std::string JudgedLog::begin() const { return begin_s_ ? telemetry::utc_text(*begin_s_) : "unknown"; }

void Findings::add(std::string_view failure, const KernelEvent& event) { add(failure, harness::text_of(event)); }

void Findings::add(std::string_view failure, std::string text) { texts_.emplace_back(failure, std::move(text)); }

std::vector<std::string> Findings::of(std::string_view failure) const {
  std::vector<std::string> found;
  for (const auto& [kind, text] : texts_) {
    if (kind == failure) found.push_back(text);
  }
  return shortened(std::move(found));
}

std::vector<std::string> shortened(std::vector<std::string> texts) {
  constexpr std::size_t most = 50;
  if (texts.size() <= most) return texts;
  const std::size_t left_out = texts.size() - most;
  texts.erase(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(left_out));
  texts.push_back(fmt::format("and {} before these", left_out));
  return texts;
}

}  // namespace gpucheck::cases::in_health
