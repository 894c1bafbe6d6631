#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/allocator/statistics.hpp"

namespace gpucheck::runtime {

/// How long calls took, in microseconds.
struct DurationStatistic {
  std::int64_t total = 0;
  std::int64_t max = 0;
  std::int64_t min = 0;
  std::int64_t count = 0;
  [[nodiscard]] std::int64_t average() const noexcept { return count == 0 ? 0 : total / count; }
  void add(std::int64_t microseconds) noexcept;
  void add_since(std::chrono::steady_clock::time_point start) noexcept;
  bool operator==(const DurationStatistic&) const = default;
};

/// What `torch.cuda.host_memory_stats()` of PyTorch 2.11 reports. Bytes are rounded
/// sizes.
struct PinnedStatistics {
  Statistic allocations;      ///< blocks owned: made and not yet released
  Statistic allocated_bytes;  ///< the same in bytes
  /// Requests served, and lowered only when a block comes back after events: a free
  /// without any does not lower these, as recorded from PyTorch 2.11. The peak is the
  /// sum of every size class's own.
  Statistic active_requests;
  /// The same, but what such a block lowers it by is the size that PyTorch was looking
  /// for: its mark for "any", -1, unless background threads are on. So it only grows.
  Statistic active_bytes;
  DurationStatistic host_alloc_time;  ///< of obtaining memory from the driver
  DurationStatistic host_free_time;   ///< of freeing it
  std::int64_t num_host_alloc = 0;    ///< blocks made, since the last reset_accumulated_stats
  std::int64_t num_host_free = 0;     ///< blocks released, likewise
  bool operator==(const PinnedStatistics&) const = default;
};

/// PyTorch's flat form, for example {"active_bytes.current", 1024}; sorted by name.
FlatStatistics flatten(const PinnedStatistics& statistics);

}  // namespace gpucheck::runtime
