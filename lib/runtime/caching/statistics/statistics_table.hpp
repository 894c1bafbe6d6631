#pragma once

#include "runtime/allocator/statistics.hpp"
#include "runtime/caching/statistics/ledger.hpp"
#include "runtime/caching/statistics/turns.hpp"
#include "runtime/caching/tables/arena_table.hpp"

namespace gpucheck::runtime::detail {

/// All statistics. What moves with blocks is counted in the arenas and summed up in the ledger;
/// what moves with segments is counted here, guarded by the allocator's mutex. Calls that
/// concern the arenas' counters need all arenas closed.
class StatisticsTable {
 public:
  StatisticsTable(const ArenaTable& arenas, std::uint64_t max_split_size) noexcept : arenas_(arenas) {
    totals_.max_split_size = static_cast<std::int64_t>(max_split_size);
  }

  /// Before an arena without room counts: with the settling mutex, and no arena held.
  void admit(Arena& arena) { turns_.admit(arena); }
  /// Before an arena counts with every arena closed.
  void admit_closed(Arena& arena) { turns_.admit_closed(arena); }

  // -- segments and big blocks: the mutex is enough ---------------------------------------
  void segment_allocated(PoolKind kind, std::uint64_t bytes, bool is_oversize);
  void segment_freed(PoolKind kind, std::uint64_t bytes, bool is_oversize);
  void memory_mapped(PoolKind kind, std::uint64_t bytes);
  void memory_unmapped(PoolKind kind, std::uint64_t bytes);
  void oversize_allocated();
  void oversize_freed();
  void allocation_retried() { ++totals_.num_alloc_retries; }
  void out_of_memory() { ++totals_.num_ooms; }
  void all_streams_synchronized() { ++totals_.num_sync_all_streams; }
  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept {
    return static_cast<std::uint64_t>(totals_.reserved_bytes.all.current);
  }

  // -- reports ------------------------------------------------------------------------------
  [[nodiscard]] std::uint64_t allocated_bytes() const {
    std::int64_t total = 0;
    for (const Counters* arena : arenas_.counters()) {
      for (const MovingValues& kind : arena->current) total += kind[detail::allocated_bytes];
    }
    return static_cast<std::uint64_t>(total);
  }
  [[nodiscard]] MemoryStatistics report();
  void reset_peaks();
  void reset_accumulated();

 private:
  const ArenaTable& arenas_;
  Ledger ledger_;
  Turns turns_{ledger_};
  MemoryStatistics totals_;  ///< all but what the ledger reports
};

}  // namespace gpucheck::runtime::detail
