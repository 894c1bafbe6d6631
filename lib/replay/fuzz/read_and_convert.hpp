#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "replay/analysis/conversion.hpp"
#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/file.hpp"
#include "replay/page/snapshot_page.hpp"

namespace gpucheck::replay {

/// What the commands do with a file, but for playing it. Errors that the
/// readers mean to throw are fine; whatever else happens is a finding.
inline void read_and_convert(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const FileContent content = read_bytes("fuzz", bytes);
    if (const auto* snapshot = std::get_if<Snapshot>(&content)) {
      (void)snapshot_page(read_snapshot_bytes("fuzz", bytes), "fuzz", devices_of(*snapshot));
      for (std::size_t device = 0; device < snapshot->device_traces.size(); ++device) (void)convert(*snapshot, device);
    }
  } catch (const EnvironmentError&) {
  }
}

}  // namespace gpucheck::replay
