#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "replay/conversion.hpp"
#include "replay/file.hpp"

namespace gpucheck::replay {

/// What a command would do with a file before it plays anything. Errors that the
/// readers mean to throw are fine; whatever else happens is a finding.
inline void read_and_convert(const std::uint8_t* data, std::size_t size) {
  try {
    const FileContent content = read_bytes("fuzz", {reinterpret_cast<const char*>(data), size});
    if (const auto* snapshot = std::get_if<Snapshot>(&content)) {
      for (std::size_t device = 0; device < snapshot->device_traces.size(); ++device) (void)convert(*snapshot, device);
    }
  } catch (const EnvironmentError&) {
  }
}

}  // namespace gpucheck::replay
