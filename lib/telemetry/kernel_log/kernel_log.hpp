#pragma once

#include <string>

#include "telemetry/kernel_log/log_events.hpp"

namespace gpucheck::telemetry {

/// What the kernel's log holds, or why it is not known.
struct KernelLog {
  LogEvents found;
  LogClock clock;
  std::string problem;  ///< why it cannot be read; empty where it can
};

/// Reads /dev/kmsg, as far back as it goes. Waits for nothing; reads no more than the kernel can keep.
/// @param root the folder under which /dev and /proc lie, "" for the machine's own.
[[nodiscard]] KernelLog read_kernel_log(const std::string& root);

/// The same of a file that holds a log, in any form that `for_each_log_line` takes.
[[nodiscard]] KernelLog read_kernel_log_file(const std::string& path);

}  // namespace gpucheck::telemetry
