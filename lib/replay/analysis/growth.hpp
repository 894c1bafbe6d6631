#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "replay/analysis/snapshot_summary.hpp"
#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// What one stack has in use in two snapshots. Bytes, as blocks.
struct StackGrowth {
  StackId stack = no_stack;  ///< of Growth::stacks
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes_after = 0;
  std::uint64_t count_before = 0;
  std::uint64_t count_after = 0;

  [[nodiscard]] bool has_changed() const noexcept { return bytes_before != bytes_after || count_before != count_after; }
};

/// What grew between one device of a snapshot and the same or another one of a later snapshot.
struct DeviceGrowth {
  std::optional<std::size_t> device_before;  ///< absent: nothing of it in that snapshot
  std::optional<std::size_t> device_after;
  PoolUsage before;  ///< sums; pool, stream and is_large mean nothing
  PoolUsage after;
  /// All that have something in use in one of them: what grew most first, what shrank most last.
  std::vector<StackGrowth> by_stack;
};

struct Growth {
  StackTable stacks;  ///< of both snapshots
  std::vector<DeviceGrowth> devices;
};

/// What is in use at the end of `after` and was not in `before`, by the stack that allocated it.
/// Devices are held against the one of the same number; where each snapshot holds one device
/// only, against that: snapshots of two ranks.
/// @param device only this one. @throws EnvironmentError where neither holds anything of it
Growth growth_between(const Snapshot& before, const Snapshot& after, std::optional<std::size_t> device = std::nullopt);

}  // namespace gpucheck::replay
