#include "runtime/caching/statistics/ledger.hpp"

#include <algorithm>

namespace gpucheck::runtime::detail {

std::int64_t Ledger::sum(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter) noexcept {
  std::int64_t total = 0;
  for (const Counters* arena : arenas) total += arena->value(scope, counter);
  return total;
}

std::int64_t Ledger::pending(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter) noexcept {
  std::int64_t total = 0;
  for (const Counters* arena : arenas) {
    for (std::size_t kind = 0; kind < pool_kinds; ++kind) {
      if (scope == all_scope || scope == kind) total += arena->pending[kind][counter];
    }
  }
  return total;
}

void Ledger::rebalance(std::span<Counters* const> arenas, std::size_t exceeded) {
  Counters& counters = *arenas[exceeded];
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      if (counters.value(scope, counter) > counters.quota[scope][counter]) {
        rebalance_counter(arenas, exceeded, scope, counter);
      }
    }
  }
}

std::int64_t Ledger::raise_peaks(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter,
                                 std::int64_t total) {
  std::int64_t& peak = peaks_[scope][counter];
  peak = std::max(peak, total);
  if (counter != allocation && counter != allocated_bytes) return peak;
  const std::int64_t waiting = pending(arenas, scope, counter);
  std::int64_t& active_peak = active_peaks_[scope][counter];
  active_peak = std::max(active_peak, total + waiting);
  return std::min(peak, active_peak - waiting);
}

void Ledger::rebalance_counter(std::span<Counters* const> arenas, std::size_t exceeded, std::size_t scope,
                               std::size_t counter) {
  ++rebalances_;
  const std::int64_t total = sum(arenas, scope, counter);
  // What is below the bound is shared out. The others keep what they have, if it can be.
  std::int64_t excess = total - raise_peaks(arenas, scope, counter, total);
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    const std::int64_t current = arenas[i]->value(scope, counter);
    std::int64_t& quota = arenas[i]->quota[scope][counter];
    quota = i == exceeded ? current : std::max(quota, current);
    excess += quota - current;
  }
  // Otherwise one after the other gives half of its spare quota, or more where that is not
  // enough; half, so that the next shortage here is not at the next call.
  for (std::size_t step = 1; step < arenas.size() && excess > 0; ++step) {
    Counters& other = *arenas[(exceeded + step) % arenas.size()];
    std::int64_t& quota = other.quota[scope][counter];
    const std::int64_t spare = quota - other.value(scope, counter);
    const std::int64_t given = std::min(spare, std::max(excess, spare / 2));
    quota -= given;
    excess -= given;
  }
  arenas[exceeded]->quota[scope][counter] -= excess;
}

void Ledger::reset_peaks(std::span<Counters* const> arenas) {
  ++rebalances_;
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      peaks_[scope][counter] = sum(arenas, scope, counter);
      active_peaks_[scope][counter] = peaks_[scope][counter] + pending(arenas, scope, counter);
      for (Counters* arena : arenas) arena->quota[scope][counter] = arena->value(scope, counter);
    }
  }
}

void Ledger::reset_accumulated(std::span<Counters* const> arenas) {
  for (Counters* arena : arenas) arena->increased = {};
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      current_at_reset_[scope][counter] = sum(arenas, scope, counter);
      pending_at_reset_[scope][counter] = pending(arenas, scope, counter);
    }
  }
}

std::int64_t Ledger::current(std::span<Counters* const> arenas, Counter counter) {
  return sum(arenas, all_scope, counter);
}

Statistic Ledger::statistic(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter) const {
  Statistic result;
  result.current = sum(arenas, scope, counter);
  result.peak = peaks_[scope][counter];
  for (const Counters* arena : arenas) {
    for (std::size_t kind = 0; kind < pool_kinds; ++kind) {
      if (scope == all_scope || scope == kind) result.allocated += arena->increased[kind][counter];
    }
  }
  result.freed = result.allocated - (result.current - current_at_reset_[scope][counter]);
  return result;
}

Statistic Ledger::active_statistic(std::span<Counters* const> arenas, std::size_t scope, Counter counter) const {
  Statistic result = statistic(arenas, scope, counter);
  const std::int64_t waiting = pending(arenas, scope, counter);
  result.current += waiting;
  result.peak = active_peaks_[scope][counter];
  result.freed -= waiting - pending_at_reset_[scope][counter];
  return result;
}

void Ledger::report(std::span<Counters* const> arenas, MemoryStatistics& out) const {
  const auto fill = [&](PoolStatistic& into, Counter counter) {
    into.small_pool = statistic(arenas, Counters::index(PoolKind::small), counter);
    into.large_pool = statistic(arenas, Counters::index(PoolKind::large), counter);
    into.all = statistic(arenas, all_scope, counter);
  };
  fill(out.allocation, allocation);
  fill(out.allocated_bytes, allocated_bytes);
  fill(out.requested_bytes, requested_bytes);
  fill(out.inactive_split, inactive_split);
  fill(out.inactive_split_bytes, inactive_split_bytes);
  const auto fill_active = [&](PoolStatistic& into, Counter counter) {
    into.small_pool = active_statistic(arenas, Counters::index(PoolKind::small), counter);
    into.large_pool = active_statistic(arenas, Counters::index(PoolKind::large), counter);
    into.all = active_statistic(arenas, all_scope, counter);
  };
  fill_active(out.active, allocation);
  fill_active(out.active_bytes, allocated_bytes);
}

}  // namespace gpucheck::runtime::detail
