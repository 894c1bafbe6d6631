#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// Segments that share their free blocks, or sums over several such. Bytes.
struct PoolUsage {
  PoolId pool{0, 0};
  std::uint64_t stream = 0;
  bool is_large = false;
  std::uint64_t segment_count = 0;
  std::uint64_t block_count = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t allocated_bytes = 0;
  std::uint64_t requested_bytes = 0;  ///< of the allocated ones, as asked for
  std::uint64_t pending_free_bytes = 0;
  std::uint64_t inactive_bytes = 0;
  std::uint64_t largest_inactive_bytes = 0;  ///< what one more allocation could get without a new segment

  void add(const SnapshotSegment& segment);
};

struct DeviceSummary {
  /// A block in use, and whose it is.
  struct Use {
    SnapshotBlock block;
    std::uint64_t stream = 0;
    PoolId pool{0, 0};
  };
  std::size_t device = 0;
  std::size_t event_count = 0;
  PoolUsage total;               ///< pool, stream and is_large mean nothing
  std::vector<PoolUsage> pools;  ///< by pool, stream, small before large
  std::vector<Use> largest;      ///< blocks in use, largest first
};

/// Devices that have segments or events, in order. @throws EnvironmentError for more than
/// 256: no machine has so many, and each is a walk over the whole file.
std::vector<std::size_t> devices_of(const Snapshot& snapshot);

/// Whether a device's events hold one that a replay can play: a call of the program. What merely marks a moment, or
/// says what the allocator did, is none.
[[nodiscard]] bool has_playable_event(const Snapshot& snapshot, std::size_t device);

/// Devices with events of which none can be played, in order.
std::vector<std::size_t> idle_devices(const Snapshot& snapshot);

/// "devices 1, 2 and 3 recorded no allocation and no free: left out"; without a full stop. Empty for none.
std::string idle_devices_text(const std::vector<std::size_t>& devices);

DeviceSummary summarize(const Snapshot& snapshot, std::size_t device, std::size_t max_largest = 10);

/// "default", or "private (1, 0)".
std::string pool_name(PoolId pool);

}  // namespace gpucheck::replay
