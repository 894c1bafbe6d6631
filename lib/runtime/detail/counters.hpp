#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/rounding.hpp"

namespace gpucheck::runtime::detail {

/// The figures of MemoryStatistics that move with every allocation and free.
enum Figure : std::uint8_t {
  allocation,
  active,
  allocated_bytes,
  active_bytes,
  requested_bytes,
  inactive_split,
  inactive_split_bytes,
};
inline constexpr std::size_t figure_count = 7;
/// One for each figure, and one unused so that they fill vector registers.
using Figures = std::array<std::int64_t, figure_count + 1>;

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

  void increase(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    current[index(kind)][figure] += amount;
    increased[index(kind)][figure] += amount;
  }
  void decrease(PoolKind kind, Figure figure, std::int64_t amount) noexcept { current[index(kind)][figure] -= amount; }
  /// One increase or one decrease.
  void change(PoolKind kind, Figure figure, std::int64_t amount) noexcept {
    current[index(kind)][figure] += amount;
    increased[index(kind)][figure] += amount > 0 ? amount : 0;
  }

  [[nodiscard]] std::int64_t all(std::size_t figure) const noexcept { return current[0][figure] + current[1][figure]; }
  /// True when some figure of this kind, or of both together, is past its allowance.
  [[nodiscard]] bool over(PoolKind kind) const noexcept {
    std::int64_t sign = 0;
    for (std::size_t f = 0; f < std::tuple_size_v<Figures>; ++f) sign |= spare(kind, f);
    return sign < 0;
  }
  /// The same for the two figures that a free can raise.
  [[nodiscard]] bool over_after_free(PoolKind kind) const noexcept {
    return (spare(kind, inactive_split) | spare(kind, inactive_split_bytes)) < 0;
  }

  static constexpr std::size_t index(PoolKind kind) noexcept { return static_cast<std::size_t>(kind); }

 private:
  /// Negative when the figure is past an allowance.
  [[nodiscard]] std::int64_t spare(PoolKind kind, std::size_t figure) const noexcept {
    return (allowance[index(kind)][figure] - current[index(kind)][figure]) | (allowance_all[figure] - all(figure));
  }
};

}  // namespace gpucheck::runtime::detail
