#include "runtime/caching/statistics/statistics_table.hpp"

#include "runtime/allocator/statistic_changes.hpp"

namespace gpucheck::runtime::detail {
namespace {

/// Everything of the totals that has a peak.
template <typename Visit>
void for_each_total(MemoryStatistics& totals, Visit visit) {
  for (PoolStatistic* statistic : {&totals.segment, &totals.reserved_bytes}) {
    for (Statistic* part : {&statistic->all, &statistic->small_pool, &statistic->large_pool}) visit(*part);
  }
  visit(totals.oversize_allocations);
  visit(totals.oversize_segments);
}

}  // namespace

void StatisticsTable::segment_allocated(PoolKind kind, std::uint64_t bytes, bool is_oversize) {
  add(totals_.segment, kind, 1);
  add(totals_.reserved_bytes, kind, bytes);
  if (is_oversize) add(totals_.oversize_segments, 1);
  ++totals_.num_device_alloc;
}

void StatisticsTable::segment_freed(PoolKind kind, std::uint64_t bytes, bool is_oversize) {
  subtract(totals_.segment, kind, 1);
  subtract(totals_.reserved_bytes, kind, bytes);
  if (is_oversize) subtract(totals_.oversize_segments, 1);
  ++totals_.num_device_free;
}

void StatisticsTable::memory_mapped(PoolKind kind, std::uint64_t bytes) {
  add(totals_.reserved_bytes, kind, bytes);
  ++totals_.num_device_alloc;
}

void StatisticsTable::memory_unmapped(PoolKind kind, std::uint64_t bytes) {
  subtract(totals_.reserved_bytes, kind, bytes);
  ++totals_.num_device_free;
}

void StatisticsTable::oversize_allocated() { add(totals_.oversize_allocations, 1); }

void StatisticsTable::oversize_freed() { subtract(totals_.oversize_allocations, 1); }

MemoryStatistics StatisticsTable::report() {
  turns_.settle();
  MemoryStatistics result = totals_;
  ledger_.report(arenas_.counters(), result);
  return result;
}

void StatisticsTable::reset_peaks() {
  turns_.settle();
  ledger_.reset_peaks();
  for_each_total(totals_, [](Statistic& statistic) { statistic.peak = statistic.current; });
}

void StatisticsTable::reset_accumulated() {
  turns_.settle();
  ledger_.reset_accumulated(arenas_.counters());
  for_each_total(totals_, [](Statistic& statistic) { statistic.allocated = statistic.freed = 0; });
  totals_.num_alloc_retries = totals_.num_ooms = totals_.num_sync_all_streams = 0;
  totals_.num_device_alloc = totals_.num_device_free = 0;
}

}  // namespace gpucheck::runtime::detail
