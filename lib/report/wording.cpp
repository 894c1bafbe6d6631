#include "report/wording.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/count_text.hpp"
#include "base/text/sanitize.hpp"
#include "base/text/shell_text.hpp"
#include "base/text/units.hpp"
#include "base/text/utc.hpp"
#include "harness/result/outcome_text.hpp"

namespace gpucheck::report {

using harness::CaseResult;
using harness::Outcome;

namespace {

constexpr std::size_t longest_configuration = 4000;

}  // namespace

std::string format_duration(double milliseconds) {
  if (!(milliseconds > 0)) milliseconds = 0;
  if (milliseconds < 9.95) return fmt::format("{:.1f} ms", milliseconds);
  if (milliseconds < 999.5) return fmt::format("{:.0f} ms", milliseconds);
  const double seconds = milliseconds / 1000;
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const double whole_seconds = std::round(seconds);
  const double minutes = std::floor(whole_seconds / 60);
  return fmt::format("{:.0f} min {:02.0f} s", minutes, whole_seconds - minutes * 60);
}

std::string cause(const CaseResult& result) {
  if (!result.reason.empty()) return one_line(result.reason);
  if (result.outcome == Outcome::crash) return harness::process_end_text(result.exit_code, result.signal);
  return one_line(harness::mismatch_text(result.mismatches));
}

std::string display_name(const CaseResult& result) {
  std::string name = one_line(result.name);
  if (result.repetition > 0) name += fmt::format("#{}", result.repetition + 1);
  if (!result.fault.empty()) name += fmt::format("[{}]", one_line(result.fault));
  return name;
}

std::string measurement_text(const harness::Measurement& measurement) {
  std::string text = fmt::format("{} {:.4g}", measurement.verdict == "pass" ? "=" : "!", measurement.value);
  if (measurement.best && *measurement.best > 0) {
    text +=
        fmt::format(", {:.0f} % of the best {:.4g}", measurement.value / *measurement.best * 100, *measurement.best);
  }
  const char* separator = "; ";
  const auto add = [&](const char* words, const std::optional<double>& bound) {
    if (!bound) return;
    text += fmt::format("{}{} {:.4g}", separator, words, *bound);
    separator = ", ";
  };
  add("fails below", measurement.fail_below);
  add("warns below", measurement.warn_below);
  add("warns above", measurement.warn_above);
  add("fails above", measurement.fail_above);
  if (measurement.verdict == "unknown") text += fmt::format("; no limit: {}", one_line(measurement.source));
  return text;
}

std::string next_step_text(const harness::FailureKind& kind) {
  return fmt::format("{} {}, {}: {}. {}", kind.code, kind.name, harness::to_text(kind.severity),
                     harness::to_text(kind.action), kind.advice);
}

std::string shown_rerun_command(const CaseResult& result) {
  const std::string& command = result.rerun_command;
  return command.starts_with("gpucheck run ") && is_plain_command(command) ? command : "";
}

std::string rerun_text(const CaseResult& result) {
  if (result.rerun_command.empty()) return "";
  const std::string command = shown_rerun_command(result);
  return command.empty() ? "rerun: the command on file is not one that gpucheck writes, so it is left out"
                         : "rerun: " + command;
}

std::string waiver_text(const harness::Waiver& waiver) {
  return one_line(fmt::format("waived by {} until {}: {}", waiver.owner, waiver.expires, waiver.reason));
}

std::string waiver_complaint(const harness::WaiverUse& use) {
  if (use.state == "used") return {};
  const std::string device = use.waiver.device == "any" ? "any device" : use.waiver.device;
  const std::string xid = use.waiver.xid ? fmt::format(", XID {},", *use.waiver.xid) : "";
  return one_line(fmt::format("the waiver for {}{} on {} ({}, until {}) {}", use.waiver.case_glob, xid, device,
                              use.waiver.owner, use.waiver.expires,
                              use.state == "expired" ? "has expired: it waives nothing any more"
                                                     : "is not needed: what it covers passed; remove it"));
}

std::string counts_text(const harness::Counts& counts) {
  const std::array<std::pair<std::int64_t, std::string_view>, 7> parts{
      {{counts.pass, "passed"},
       {counts.fail, "failed"},
       {counts.error, counts.error == 1 ? "error" : "errors"},
       {counts.crash, "crashed"},
       {counts.hang, "hung"},
       {counts.skip, "skipped"},
       {counts.not_run, "not run"}}};
  std::vector<std::string> texts;
  for (const auto& [count, word] : parts) {
    if (count == 0) continue;
    texts.push_back(fmt::format("{} {}", count, word));
    if (word == "passed" && counts.flaky > 0) texts.back() += fmt::format(" ({} flaky)", counts.flaky);
  }
  if (texts.empty()) return "no case run";
  const std::string waived = counts.waived == 0 ? "" : fmt::format(" ({} waived)", counts.waived);
  return fmt::format("{}{}", fmt::join(texts, ", "), waived);
}

std::string some_of(const std::vector<std::string>& names, std::size_t count) {
  constexpr std::size_t max_shown = 10;
  const auto shown = std::span(names).first(std::min(names.size(), max_shown));
  if (shown.empty()) return fmt::format("{} of later repetitions", count);
  const std::string text = one_line(fmt::format("{}", fmt::join(shown, ", ")));
  return count > shown.size() ? fmt::format("{} and {} more", text, count - shown.size()) : text;
}

std::string configuration_text(const harness::Configuration& configuration) {
  std::string text = "config " + configuration.path;
  if (!configuration.profile.empty()) text += ", profile " + configuration.profile;
  const char* separator = ": ";
  for (const harness::ConfiguredSetting& one : configuration.settings) {
    text += fmt::format("{}{} = {}", separator, one.key, one.value);
    separator = ", ";
  }
  if (configuration.settings.empty()) text += ": it changes nothing";
  return one_line(text, longest_configuration);
}

std::string device_text(const harness::DeviceIdentity& device) {
  const std::string name = device.name.empty() ? one_line(device.pci_bus_id, 80) : one_line(device.name, 80);
  const std::string memory =
      device.total_memory_bytes == 0 ? "" : fmt::format(", {}", format_bytes(device.total_memory_bytes));
  return fmt::format("{} ({}:{}{})", name.empty() ? "unknown device" : name, one_line(device.kind, 20), device.ordinal,
                     memory);
}

std::string device_text(const std::vector<harness::DeviceIdentity>& devices) {
  if (devices.empty()) return "no device";
  if (devices.size() == 1) return device_text(devices.front());
  const harness::DeviceIdentity& first = devices.front();
  const bool alike = std::ranges::all_of(devices, [&](const auto& each) { return each.name == first.name; });
  return fmt::format("{} devices ({}{}{})", devices.size(), one_line(first.kind, 20),
                     alike && !first.name.empty() ? ", " : "", alike ? one_line(first.name, 80) : "");
}

std::string place_text(const std::vector<int>& devices) {
  if (devices.empty()) return "machine";
  return fmt::format("device{} {}", devices.size() == 1 ? "" : "s", fmt::join(devices, "-"));
}

std::optional<Bound> bound_of(const std::vector<harness::DeviceTime>& times) {
  if (times.empty()) return {};
  const auto busy_ms = [](const harness::DeviceTime& time) { return time.running_ms + time.starting_ms; };
  const harness::DeviceTime& busiest = *std::ranges::max_element(times, {}, busy_ms);
  const std::array<std::pair<double, std::string_view>, 3> shares{
      {{busiest.running_ms, "cases"}, {busiest.starting_ms, "starting"}, {busiest.idle_ms, "idle"}}};
  return Bound{.time = busiest, .by = std::ranges::max_element(shares)->second};
}

std::string bound_text(const Bound& bound) {
  const harness::DeviceTime& time = bound.time;
  return fmt::format("time bound by {} on device {}: {} running cases, {} starting workers, {} idle; {}{}",
                     bound.by == "starting" ? "starting workers"
                     : bound.by == "cases"  ? "running cases"
                                            : "waiting",
                     time.device, format_duration(time.running_ms), format_duration(time.starting_ms),
                     format_duration(time.idle_ms), count_text(time.processes, "process", "processes"),
                     time.own_process_ms > 0
                         ? fmt::format(", {} in those of a case's own", format_duration(time.own_process_ms))
                         : "");
}

std::string utc_milliseconds(std::chrono::system_clock::time_point time) {
  const auto fraction =
      std::chrono::floor<std::chrono::milliseconds>(time) - std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{}.{:03}Z", utc_seconds(time), fraction.count());
}

}  // namespace gpucheck::report
