#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpucheck::runtime {

/// One statistic followed over time. Counts or bytes, as its name says.
struct Statistic {
  std::int64_t current = 0;
  std::int64_t peak = 0;       ///< highest `current` since the last reset_peak_stats
  std::int64_t allocated = 0;  ///< sum of all increases since the last reset_accumulated_stats
  std::int64_t freed = 0;      ///< sum of all decreases, likewise
  bool operator==(const Statistic&) const = default;
};

/// The same statistic for all memory, for small blocks (up to 1 MiB) and for large ones.
struct PoolStatistic {
  Statistic all;
  Statistic small_pool;
  Statistic large_pool;
  bool operator==(const PoolStatistic&) const = default;
};

/// What `torch.cuda.memory_stats()` reports, one field per statistic.
struct MemoryStatistics {
  PoolStatistic allocation;               ///< blocks allocated and not yet asked to be freed
  PoolStatistic segment;                  ///< ranges of memory obtained from the device
  PoolStatistic active;                   ///< blocks allocated and not yet ready for reuse
  PoolStatistic inactive_split;           ///< free blocks that share their segment with others
  PoolStatistic allocated_bytes;          ///< as `allocation`, by block size
  PoolStatistic reserved_bytes;           ///< as `segment`, in bytes
  PoolStatistic active_bytes;             ///< as `active`, by block size
  PoolStatistic inactive_split_bytes;     ///< as `inactive_split`, in bytes
  PoolStatistic requested_bytes;          ///< as `active`, by the caller's byte counts
  Statistic oversize_allocations;         ///< allocated blocks of at least max_split_size
  Statistic oversize_segments;            ///< segments of at least max_split_size
  std::int64_t num_alloc_retries = 0;     ///< allocations that released the cache and tried again
  std::int64_t num_ooms = 0;              ///< OutOfMemoryError thrown
  std::int64_t num_sync_all_streams = 0;  ///< waits for every outstanding event
  std::int64_t num_device_alloc = 0;      ///< device allocations made
  std::int64_t num_device_free = 0;       ///< device allocations freed
  std::int64_t max_split_size = 0;        ///< bytes, at construction; -1 is unlimited
  bool operator==(const MemoryStatistics&) const = default;
};

/// torch.cuda.memory_allocated() and memory_reserved(). Bytes.
struct MemoryUsage {
  std::int64_t allocated = 0;
  std::int64_t reserved = 0;
};

/// Statistics by the names that PyTorch gives them, "allocation.all.current".
using FlatStatistics = std::vector<std::pair<std::string, std::int64_t>>;

/// Adds NAME.current, NAME.peak, NAME.allocated and NAME.freed.
void append(FlatStatistics& out, const std::string& name, const Statistic& statistic);

/// PyTorch's flat form, for example {"active.all.current", 3}; sorted by name.
FlatStatistics flatten(const MemoryStatistics& statistics);

}  // namespace gpucheck::runtime
