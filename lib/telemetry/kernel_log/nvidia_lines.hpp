#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "telemetry/kernel_log/kernel_event.hpp"

namespace gpucheck::telemetry {

/// Reads the messages of a log one after the other: what they say about NVIDIA's devices. Keeps what a message that was
/// written as several lines said in the lines before. Used by one thread.
class NvidiaLines {
 public:
  /// Nothing for a message that says nothing of the kind, or that is too garbled to be read. No time.
  [[nodiscard]] std::optional<KernelEvent> read(std::string_view message);

 private:
  std::string named_gpu_;  ///< by "The NVIDIA GPU ADDRESS", of which the line that follows says what has happened
};

}  // namespace gpucheck::telemetry
