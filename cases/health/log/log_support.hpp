#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cases/shared/health_support.hpp"
#include "telemetry/kernel_log/kernel_event.hpp"

namespace gpucheck::cases::in_health {

/// "since": from when on what the log says counts.
[[nodiscard]] harness::Parameter since_parameter();
/// "kernel_log": a file to read instead of the kernel's own log.
[[nodiscard]] harness::Parameter kernel_log_parameter();

/// The machine; where its driver's library does not work, or hangs, what the operating system reports alone: the log
/// can be read all the same.
[[nodiscard]] telemetry::Machine machine_beside_log(harness::Context& context);

/// The kernel's log, as a case judges it by those two parameters.
class JudgedLog {
 public:
  /// @throws harness::Skip where the log cannot be read; EnvironmentError for a `since` that says no time.
  JudgedLog(harness::Context& context, const telemetry::Machine& machine);

  [[nodiscard]] const std::vector<telemetry::KernelEvent>& events() const noexcept { return events_; }
  /// Whether the event is recent enough; one whose time is not known is. By default what was before the device's last
  /// reset or its driver's last load counts no more.
  [[nodiscard]] bool counts(std::size_t index) const;
  /// The same for a device that is not there any more, which a load of the driver does not bring back.
  [[nodiscard]] bool counts_for_absent(std::size_t index) const;
  /// "2026-11-25T10:32:31Z": where the log begins; "unknown".
  [[nodiscard]] std::string begin() const;

 private:
  [[nodiscard]] bool is_late_enough(std::size_t index) const;

  std::vector<telemetry::KernelEvent> events_;
  std::optional<std::int64_t> begin_s_;
  std::optional<std::int64_t> from_s_;  ///< what ended before does not count; nothing: no such limit
  bool until_reset_ = false;            ///< what a reset has ended does not count
};

/// Lines for people, by the kind of failure that they are.
class Findings {
 public:
  void add(std::string_view failure, const telemetry::KernelEvent& event);
  void add(std::string_view failure, std::string text);
  [[nodiscard]] std::vector<std::string> of(std::string_view failure) const;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
};

/// Texts of which there may be many: the last of them, and how many more there are.
[[nodiscard]] std::vector<std::string> shortened(std::vector<std::string> texts);

}  // namespace gpucheck::cases::in_health
