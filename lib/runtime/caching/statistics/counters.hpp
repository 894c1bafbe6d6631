#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::runtime::detail {

/// The figures of MemoryStatistics that move with every allocation and free. Those of
/// `active` blocks follow from them: see Ledger.
enum Figure : std::uint8_t { allocation, allocated_bytes, requested_bytes, inactive_split, inactive_split_bytes };
inline constexpr std::size_t figure_count = 5;
using Figures = std::array<std::int64_t, figure_count>;

/// One arena's share of the figures, guarded by the arena's lock.
///
/// A peak belongs to the sum over all arenas, which no arena can see. So each has an
/// allowance: as long as every arena stays within its own, the sum cannot pass the
/// peak, for the allowances add up to no more than that. See Ledger.
struct Counters {
  std::array<Figures, pool_kinds> current{};
  std::array<Figures, pool_kinds> increased{};  ///< sum of increases since the last reset
  std::array<Figures, pool_kinds> allowance{};  ///< for `current` of one kind
  Figures allowance_all{};                      ///< for the sum over the kinds

  /// Both tell whether the figure is now past an allowance.
  bool increase(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    increased[index(kind)][figure] += amount;
    current[index(kind)][figure] += amount;
    return over(kind, figure);
  }
  /// One increase or one decrease.
  bool change(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    if (amount > 0) return increase(kind, figure, amount);
    decrease(kind, figure, -amount);
    return false;
  }
  void decrease(PoolKind kind, Figure figure, std::int64_t amount) noexcept { current[index(kind)][figure] -= amount; }

  [[nodiscard]] std::int64_t all(std::size_t figure) const noexcept { return current[0][figure] + current[1][figure]; }

  static constexpr std::size_t index(PoolKind kind) noexcept { return static_cast<std::size_t>(kind); }

 private:
  [[nodiscard]] bool over(PoolKind kind, Figure figure) const noexcept {
    const std::int64_t spare = allowance[index(kind)][figure] - current[index(kind)][figure];
    return (spare | (allowance_all[figure] - all(figure))) < 0;
  }
};

}  // namespace gpucheck::runtime::detail
