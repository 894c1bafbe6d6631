#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "replay/snapshot.hpp"

namespace gpucheck::replay {

/// What the recorded program itself held, by its own events. Bytes.
struct RecordedUsage {
  std::uint64_t initial_reserved_bytes = 0;
  std::uint64_t peak_reserved_bytes = 0;
  std::uint64_t peak_active_bytes = 0;  ///< sizes as asked for, until the free completed
  /// Reserved plus free on the device when memory first ran out.
  std::optional<std::uint64_t> capacity_bytes;
};

/// Follows the segments backwards from the state at the end, and the blocks forwards
/// from `initial_active_bytes`.
RecordedUsage recorded_usage(const Snapshot& snapshot, std::size_t device, std::uint64_t initial_active_bytes);

}  // namespace gpucheck::replay
