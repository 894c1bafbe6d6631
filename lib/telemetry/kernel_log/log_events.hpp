#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "telemetry/kernel_log/kernel_event.hpp"
#include "telemetry/kernel_log/log_lines.hpp"

namespace gpucheck::telemetry {

/// A log in short: however many lines it has, few events.
struct LogEvents {
  std::vector<KernelEvent> events;           ///< by the last line of each
  std::int64_t lines = 0;                    ///< of the log, whatever they say
  std::int64_t lines_in_form = 0;            ///< those that look like lines of a log
  std::optional<std::int64_t> begin_s = {};  ///< time of its first line
};

/// What a log says about NVIDIA's devices. Lines that say the same are one event: of one device, of one number, of one
/// severity or action where the text has one, of one place in the GPU for XID 13 and 31, and with no reset in between.
[[nodiscard]] LogEvents events_in_log(std::string_view log, const LogClock& clock);

/// The same of a list of events: those that say the same are one.
[[nodiscard]] std::vector<KernelEvent> in_short(std::vector<KernelEvent> events);

/// Whether something later in the list has ended what the event was about: the device was reset, its driver loaded, the
/// machine started, or the driver said that no action is needed any more (XID 154).
[[nodiscard]] bool is_ended(const std::vector<KernelEvent>& events, std::size_t index);

}  // namespace gpucheck::telemetry
