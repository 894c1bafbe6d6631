#include "runtime/allocator/statistics.hpp"

#include <algorithm>

namespace gpucheck::runtime {

void append(FlatStatistics& out, const std::string& name, const Statistic& statistic) {
  out.emplace_back(name + ".current", statistic.current);
  out.emplace_back(name + ".peak", statistic.peak);
  out.emplace_back(name + ".allocated", statistic.allocated);
  out.emplace_back(name + ".freed", statistic.freed);
}

namespace {

void append(FlatStatistics& out, const std::string& name, const PoolStatistic& statistic) {
  append(out, name + ".all", statistic.all);
  append(out, name + ".small_pool", statistic.small_pool);
  append(out, name + ".large_pool", statistic.large_pool);
}

}  // namespace

FlatStatistics flatten(const MemoryStatistics& statistics) {
  FlatStatistics out;
  append(out, "allocation", statistics.allocation);
  append(out, "segment", statistics.segment);
  append(out, "active", statistics.active);
  append(out, "inactive_split", statistics.inactive_split);
  append(out, "allocated_bytes", statistics.allocated_bytes);
  append(out, "reserved_bytes", statistics.reserved_bytes);
  append(out, "active_bytes", statistics.active_bytes);
  append(out, "inactive_split_bytes", statistics.inactive_split_bytes);
  append(out, "requested_bytes", statistics.requested_bytes);
  append(out, "oversize_allocations", statistics.oversize_allocations);
  append(out, "oversize_segments", statistics.oversize_segments);
  out.emplace_back("num_alloc_retries", statistics.num_alloc_retries);
  out.emplace_back("num_ooms", statistics.num_ooms);
  out.emplace_back("num_sync_all_streams", statistics.num_sync_all_streams);
  out.emplace_back("num_device_alloc", statistics.num_device_alloc);
  out.emplace_back("num_device_free", statistics.num_device_free);
  out.emplace_back("max_split_size", statistics.max_split_size);
  std::ranges::sort(out);
  return out;
}

}  // namespace gpucheck::runtime
