#pragma once

#include <span>
#include <string_view>

namespace gpucheck {

namespace telemetry {

/// A recording that is built into the binary.
struct RecordedFile {
  std::string_view path;  ///< below lib/telemetry/recorded
  std::string_view text;
};

}  // namespace telemetry

/// The healthy machine that stands in for simulated devices, as it was when the binary was built.
std::span<const telemetry::RecordedFile> embedded_recordings();

}  // namespace gpucheck
