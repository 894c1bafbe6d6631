#pragma once

#include <span>

#include "runtime/allocator/statistics.hpp"
#include "runtime/caching/counters/counters.hpp"

namespace gpucheck::runtime::detail {

/// Sums of the counters over all arenas, and their peaks: as they were when the arenas' changes
/// were settled last (see Turns).
class Ledger {
 public:
  [[nodiscard]] const ScopeValues& sums() const noexcept { return sums_; }
  /// Whether one of these, each at least as high as a sum can have been, is higher than its peak.
  [[nodiscard]] bool may_raise_peaks(const ScopeValues& bounds) const noexcept;
  void raise_peaks(const ScopeValues& sums) noexcept { raise(peaks_, sums); }
  /// An arena's counters were `before`, and are `after` now.
  void move(const KindValues& before, const KindValues& after) noexcept {
    add_difference(sums_, over_scopes(after), over_scopes(before));
  }
  void reset_peaks() noexcept { peaks_ = sums_; }

  // -- with every arena closed, and settled -----------------------------------------------
  void reset_accumulated(std::span<const Counters* const> arenas) noexcept;
  /// Fills in all that the counters show.
  void report(std::span<const Counters* const> arenas, MemoryStatistics& out) const;

 private:
  /// Sums of all increases.
  [[nodiscard]] static ScopeValues increased(std::span<const Counters* const> arenas) noexcept;
  [[nodiscard]] Statistic statistic(const ScopeValues& increased, std::size_t scope, Counter counter) const;

  ScopeValues sums_{};
  ScopeValues peaks_{};
  // At the last reset of the accumulated totals:
  ScopeValues sums_at_reset_{};
  ScopeValues increased_at_reset_{};
};

}  // namespace gpucheck::runtime::detail
