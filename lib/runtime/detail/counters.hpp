#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/rounding.hpp"

namespace gpucheck::runtime::detail {

/// The figures of MemoryStatistics that move with every allocation and free. Those of
/// `active` blocks follow from them: see Ledger.
enum Figure : std::uint8_t { allocation, allocated_bytes, requested_bytes, inactive_split, inactive_split_bytes };
inline constexpr std::size_t figure_count = 5;
using Figures = std::array<std::int64_t, figure_count>;

/// What a figure is summed over: the kinds as in PoolKind, then both together.
inline constexpr std::size_t all_scope = pool_kinds;
inline constexpr std::size_t scope_count = pool_kinds + 1;

/// One arena's share of the figures, guarded by the arena's lock.
///
/// A peak belongs to the sum over all arenas, which no arena can see. So each has an
/// allowance: as long as every arena stays within its own, the sum cannot pass the
/// peak, for the allowances add up to no more than that. See Ledger. What is kept of a
/// figure is how far below its allowance it is, since that is what every change asks.
struct Counters {
  std::array<Figures, pool_kinds> increased{};  ///< sum of increases since the last reset

  /// Both tell whether the figure is now past an allowance.
  bool increase(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    increased[index(kind)][figure] += amount;
    return ((spare_[index(kind)][figure] -= amount) | (spare_[all_scope][figure] -= amount)) < 0;
  }
  /// One increase or one decrease.
  bool change(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    increased[index(kind)][figure] += amount > 0 ? amount : 0;
    const bool over = ((spare_[index(kind)][figure] -= amount) | (spare_[all_scope][figure] -= amount)) < 0;
    return over && amount > 0;
  }
  void decrease(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    spare_[index(kind)][figure] += amount;
    spare_[all_scope][figure] += amount;
  }

  [[nodiscard]] std::int64_t current(std::size_t scope, std::size_t figure) const noexcept {
    return allowance_[scope][figure] - spare_[scope][figure];
  }
  [[nodiscard]] std::int64_t allowance(std::size_t scope, std::size_t figure) const noexcept {
    return allowance_[scope][figure];
  }
  void set_allowance(std::size_t scope, std::size_t figure, std::int64_t value) noexcept {
    spare_[scope][figure] += value - allowance_[scope][figure];
    allowance_[scope][figure] = value;
  }

  /// What was added to the increases since they were `before`, `times` times more.
  void repeat_increases(const std::array<Figures, pool_kinds>& before, std::int64_t times) noexcept {
    for (std::size_t kind = 0; kind < pool_kinds; ++kind) {
      for (std::size_t figure = 0; figure < figure_count; ++figure) {
        increased[kind][figure] += times * (increased[kind][figure] - before[kind][figure]);
      }
    }
  }

  static constexpr std::size_t index(PoolKind kind) noexcept { return static_cast<std::size_t>(kind); }

 private:
  std::array<Figures, scope_count> allowance_{};
  std::array<Figures, scope_count> spare_{};  ///< allowance less what is current
};

}  // namespace gpucheck::runtime::detail
