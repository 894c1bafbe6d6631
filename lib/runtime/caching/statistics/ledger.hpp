#pragma once

#include <array>
#include <span>

#include "runtime/allocator/statistics.hpp"
#include "runtime/caching/arena/counters.hpp"

namespace gpucheck::runtime::detail {

/// Peaks and totals of the counters over all arenas. Every call needs all arenas closed.
///
/// Between calls these hold for each counter, over one kind and over both:
/// - the arenas' quotas add up to no more than the peak;
/// - for what is allocated, they and the pending frees add up to no more than the peak of what
///   is active: blocks allocated, or freed with their free still pending.
/// An arena that stays within its quotas can therefore raise no peak; one that exceeds them
/// calls `rebalance`, which sees all arenas and knows whether a peak was raised.
class Ledger {
 public:
  /// Brings an arena that exceeds a quota back within it: by quota that other arenas do not
  /// use, or else, when there is not enough, by a new peak.
  void rebalance(std::span<Counters* const> arenas, std::size_t exceeded);
  /// How often quotas were shared out afresh. Any arena's lock is enough to read it.
  [[nodiscard]] std::uint64_t rebalances() const noexcept { return rebalances_; }
  void reset_peaks(std::span<Counters* const> arenas);
  void reset_accumulated(std::span<Counters* const> arenas);
  /// Fills in all that the counters tell.
  void report(std::span<Counters* const> arenas, MemoryStatistics& out) const;
  [[nodiscard]] static std::int64_t current(std::span<Counters* const> arenas, Counter counter);

 private:
  static std::int64_t sum(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter) noexcept;
  static std::int64_t pending(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter) noexcept;
  /// Raises the peaks that `total` passes. Returns what the quotas may add up to.
  std::int64_t raise_peaks(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter,
                           std::int64_t total);
  void rebalance_counter(std::span<Counters* const> arenas, std::size_t exceeded, std::size_t scope,
                         std::size_t counter);
  /// `active` from `allocation`, or `active_bytes` from `allocated_bytes`.
  [[nodiscard]] Statistic active_statistic(std::span<Counters* const> arenas, std::size_t scope, Counter counter) const;
  [[nodiscard]] Statistic statistic(std::span<Counters* const> arenas, std::size_t scope, std::size_t counter) const;

  std::uint64_t rebalances_ = 0;
  std::array<CounterValues, scope_count> peaks_{};
  std::array<CounterValues, scope_count> active_peaks_{};      ///< of `allocation` and `allocated_bytes`
  std::array<CounterValues, scope_count> current_at_reset_{};  ///< of the accumulated totals
  std::array<CounterValues, scope_count> pending_at_reset_{};
};

}  // namespace gpucheck::runtime::detail
