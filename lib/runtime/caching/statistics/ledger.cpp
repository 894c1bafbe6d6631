#include "runtime/caching/statistics/ledger.hpp"

namespace gpucheck::runtime::detail {

bool Ledger::may_raise_peaks(const ScopeValues& bounds) const noexcept {
  bool result = false;
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      result |= bounds[scope][counter] > peaks_[scope][counter];
    }
  }
  return result;
}

ScopeValues Ledger::increased(std::span<const Counters* const> arenas) noexcept {
  KindValues result{};
  for (const Counters* arena : arenas) {
    for (std::size_t kind = 0; kind < pool_kinds; ++kind) {
      for (std::size_t counter = 0; counter < moving_count; ++counter) {
        result[kind][counter] += arena->increased[kind][counter];
      }
    }
  }
  for (CounterValues& kind : result) {
    kind[active] = kind[allocation];
    kind[active_bytes] = kind[allocated_bytes];
  }
  return over_scopes(result);
}

void Ledger::reset_accumulated(std::span<const Counters* const> arenas) noexcept {
  sums_at_reset_ = sums_;
  increased_at_reset_ = increased(arenas);
}

Statistic Ledger::statistic(const ScopeValues& increased, std::size_t scope, Counter counter) const {
  Statistic result;
  result.current = sums_[scope][counter];
  result.peak = peaks_[scope][counter];
  result.allocated = increased[scope][counter] - increased_at_reset_[scope][counter];
  result.freed = result.allocated - (result.current - sums_at_reset_[scope][counter]);
  return result;
}

void Ledger::report(std::span<const Counters* const> arenas, MemoryStatistics& out) const {
  const ScopeValues increases = increased(arenas);
  const auto fill = [&](PoolStatistic& into, Counter counter) {
    into.small_pool = statistic(increases, Counters::index(PoolKind::small), counter);
    into.large_pool = statistic(increases, Counters::index(PoolKind::large), counter);
    into.all = statistic(increases, all_scope, counter);
  };
  fill(out.allocation, allocation);
  fill(out.active, active);
  fill(out.allocated_bytes, allocated_bytes);
  fill(out.active_bytes, active_bytes);
  fill(out.requested_bytes, requested_bytes);
  fill(out.inactive_split, inactive_split);
  fill(out.inactive_split_bytes, inactive_split_bytes);
}

}  // namespace gpucheck::runtime::detail
