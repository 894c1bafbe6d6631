#pragma once

#include <array>
#include <span>

#include "runtime/allocator/statistics.hpp"
#include "runtime/caching/detail/counters.hpp"

namespace gpucheck::runtime::detail {

/// Peaks and totals of the figures over all arenas. Every call needs all arenas' locks.
///
/// A block is active from hand-out to the end of its free. Only while some free is
/// pending does that differ from being allocated, so the ledger counts the pending ones
/// apart, and the arenas' busy paths need not.
class Ledger {
 public:
  /// A block was given up, but other streams may still use it.
  void add_pending(PoolKind kind, std::uint64_t bytes) noexcept;
  /// They do not any more.
  void remove_pending(PoolKind kind, std::uint64_t bytes) noexcept;
  /// To be called after every hand-out while frees are pending: the peak of what is
  /// active may have moved, even if that of what is allocated has not.
  void note_active(std::span<Counters* const> arenas);
  /// Brings an arena that is past an allowance back within it: by allowance that other
  /// arenas do not use, or else, when there is not enough, by a new peak.
  void settle(std::span<Counters* const> arenas, std::size_t over);
  void reset_peaks(std::span<Counters* const> arenas);
  void reset_accumulated(std::span<Counters* const> arenas);
  /// Fills in all that the figures tell.
  void report(std::span<Counters* const> arenas, MemoryStatistics& out) const;
  [[nodiscard]] std::int64_t current(std::span<Counters* const> arenas, Figure figure) const;

 private:
  /// Kinds as PoolKind, then both together.
  static constexpr std::size_t all_scope = pool_kinds;
  static constexpr std::size_t scope_count = pool_kinds + 1;

  static std::int64_t current_of(const Counters& counters, std::size_t scope, std::size_t figure) noexcept;
  static std::int64_t& allowance_of(Counters& counters, std::size_t scope, std::size_t figure) noexcept;
  static std::int64_t sum(std::span<Counters* const> arenas, std::size_t scope, std::size_t figure) noexcept;
  void settle_figure(std::span<Counters* const> arenas, std::size_t over, std::size_t scope, std::size_t figure);
  /// `active` from `allocation`, or `active_bytes` from `allocated_bytes`.
  [[nodiscard]] Statistic active_statistic(std::span<Counters* const> arenas, std::size_t scope, Figure figure) const;
  [[nodiscard]] Statistic statistic(std::span<Counters* const> arenas, std::size_t scope, std::size_t figure) const;

  std::array<Figures, scope_count> peaks_{};
  std::array<Figures, scope_count> current_at_reset_{};  ///< of the accumulated totals
  /// Pending frees and their bytes, as `allocation` and `allocated_bytes`.
  std::array<Figures, scope_count> pending_{};
  std::array<Figures, scope_count> pending_at_reset_{};
  std::array<Figures, scope_count> active_peaks_{};  ///< while frees were pending
};

}  // namespace gpucheck::runtime::detail
