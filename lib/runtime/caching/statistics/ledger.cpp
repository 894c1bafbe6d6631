#include "runtime/caching/detail/ledger.hpp"

#include <algorithm>

namespace gpucheck::runtime::detail {

std::int64_t Ledger::current_of(const Counters& counters, std::size_t scope, std::size_t figure) noexcept {
  return scope == all_scope ? counters.all(figure) : counters.current[scope][figure];
}

std::int64_t& Ledger::allowance_of(Counters& counters, std::size_t scope, std::size_t figure) noexcept {
  return scope == all_scope ? counters.allowance_all[figure] : counters.allowance[scope][figure];
}

std::int64_t Ledger::sum(std::span<Counters* const> arenas, std::size_t scope, std::size_t figure) noexcept {
  std::int64_t total = 0;
  for (const Counters* arena : arenas) total += current_of(*arena, scope, figure);
  return total;
}

void Ledger::settle(std::span<Counters* const> arenas, std::size_t over) {
  Counters& counters = *arenas[over];
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t figure = 0; figure < figure_count; ++figure) {
      if (current_of(counters, scope, figure) > allowance_of(counters, scope, figure)) {
        settle_figure(arenas, over, scope, figure);
      }
    }
  }
}

void Ledger::settle_figure(std::span<Counters* const> arenas, std::size_t over, std::size_t scope, std::size_t figure) {
  std::int64_t& peak = peaks_[scope][figure];
  const std::int64_t total = sum(arenas, scope, figure);
  peak = std::max(peak, total);
  // What is below the peak is shared out. The others keep what they have, if it can be.
  std::int64_t excess = total - peak;
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    const std::int64_t current = current_of(*arenas[i], scope, figure);
    std::int64_t& allowance = allowance_of(*arenas[i], scope, figure);
    allowance = i == over ? current : std::max(allowance, current);
    excess += allowance - current;
  }
  // Otherwise one after the other gives half of its spare allowance, or more where that
  // is not enough; half, so that the next shortage here is not at the next call.
  for (std::size_t step = 1; step < arenas.size() && excess > 0; ++step) {
    Counters& other = *arenas[(over + step) % arenas.size()];
    std::int64_t& allowance = allowance_of(other, scope, figure);
    const std::int64_t spare = allowance - current_of(other, scope, figure);
    const std::int64_t given = std::min(spare, std::max(excess, spare / 2));
    allowance -= given;
    excess -= given;
  }
  allowance_of(*arenas[over], scope, figure) -= excess;
}

void Ledger::add_pending(PoolKind kind, std::uint64_t bytes) noexcept {
  for (const std::size_t scope : {Counters::index(kind), all_scope}) {
    pending_[scope][allocation] += 1;
    pending_[scope][allocated_bytes] += static_cast<std::int64_t>(bytes);
  }
}

void Ledger::remove_pending(PoolKind kind, std::uint64_t bytes) noexcept {
  for (const std::size_t scope : {Counters::index(kind), all_scope}) {
    pending_[scope][allocation] -= 1;
    pending_[scope][allocated_bytes] -= static_cast<std::int64_t>(bytes);
  }
}

void Ledger::note_active(std::span<Counters* const> arenas) {
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (const Figure figure : {allocation, allocated_bytes}) {
      std::int64_t& peak = active_peaks_[scope][figure];
      peak = std::max(peak, sum(arenas, scope, figure) + pending_[scope][figure]);
    }
  }
}

void Ledger::reset_peaks(std::span<Counters* const> arenas) {
  active_peaks_ = {};
  note_active(arenas);
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t figure = 0; figure < figure_count; ++figure) {
      peaks_[scope][figure] = sum(arenas, scope, figure);
      for (Counters* arena : arenas) allowance_of(*arena, scope, figure) = current_of(*arena, scope, figure);
    }
  }
}

void Ledger::reset_accumulated(std::span<Counters* const> arenas) {
  for (Counters* arena : arenas) arena->increased = {};
  pending_at_reset_ = pending_;
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t figure = 0; figure < figure_count; ++figure) {
      current_at_reset_[scope][figure] = sum(arenas, scope, figure);
    }
  }
}

std::int64_t Ledger::current(std::span<Counters* const> arenas, Figure figure) const {
  return sum(arenas, all_scope, figure);
}

Statistic Ledger::statistic(std::span<Counters* const> arenas, std::size_t scope, std::size_t figure) const {
  Statistic result;
  result.current = sum(arenas, scope, figure);
  result.peak = peaks_[scope][figure];
  for (const Counters* arena : arenas) {
    for (std::size_t kind = 0; kind < pool_kinds; ++kind) {
      if (scope == all_scope || scope == kind) result.allocated += arena->increased[kind][figure];
    }
  }
  result.freed = result.allocated - (result.current - current_at_reset_[scope][figure]);
  return result;
}

Statistic Ledger::active_statistic(std::span<Counters* const> arenas, std::size_t scope, Figure figure) const {
  Statistic result = statistic(arenas, scope, figure);
  result.current += pending_[scope][figure];
  result.peak = std::max(result.peak, active_peaks_[scope][figure]);
  result.freed -= pending_[scope][figure] - pending_at_reset_[scope][figure];
  return result;
}

void Ledger::report(std::span<Counters* const> arenas, MemoryStatistics& out) const {
  const auto fill = [&](PoolStatistic& into, Figure figure) {
    into.small_pool = statistic(arenas, Counters::index(PoolKind::small), figure);
    into.large_pool = statistic(arenas, Counters::index(PoolKind::large), figure);
    into.all = statistic(arenas, all_scope, figure);
  };
  fill(out.allocation, allocation);
  fill(out.allocated_bytes, allocated_bytes);
  fill(out.requested_bytes, requested_bytes);
  fill(out.inactive_split, inactive_split);
  fill(out.inactive_split_bytes, inactive_split_bytes);
  const auto fill_active = [&](PoolStatistic& into, Figure figure) {
    into.small_pool = active_statistic(arenas, Counters::index(PoolKind::small), figure);
    into.large_pool = active_statistic(arenas, Counters::index(PoolKind::large), figure);
    into.all = active_statistic(arenas, all_scope, figure);
  };
  fill_active(out.active, allocation);
  fill_active(out.active_bytes, allocated_bytes);
}

}  // namespace gpucheck::runtime::detail
