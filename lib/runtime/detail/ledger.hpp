#pragma once

#include <array>
#include <span>

#include "runtime/detail/counters.hpp"
#include "runtime/statistics.hpp"

namespace gpucheck::runtime::detail {

/// Peaks and totals of the figures over all arenas. Every call needs all arenas' locks.
class Ledger {
 public:
  /// Brings an arena that is past an allowance back within it: by allowance that other
  /// arenas do not use, or else, when there is not enough, by a new peak.
  void settle(std::span<Counters* const> arenas, std::size_t over);
  void reset_peaks(std::span<Counters* const> arenas);
  void reset_accumulated(std::span<Counters* const> arenas);
  /// Fills in the seven figures.
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
  [[nodiscard]] Statistic statistic(std::span<Counters* const> arenas, std::size_t scope, std::size_t figure) const;

  std::array<Figures, scope_count> peaks_{};
  std::array<Figures, scope_count> current_at_reset_{};  ///< of the accumulated totals
};

}  // namespace gpucheck::runtime::detail
