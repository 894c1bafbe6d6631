#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::runtime::detail {

/// The statistics that move with every allocation and free. Those of `active` blocks follow
/// from them and from the pending frees.
enum Counter : std::uint8_t { allocation, allocated_bytes, requested_bytes, inactive_split, inactive_split_bytes };
inline constexpr std::size_t counter_count = 5;
using CounterValues = std::array<std::int64_t, counter_count>;

/// What a counter is summed up over: one kind of block, as PoolKind, or both.
inline constexpr std::size_t all_scope = pool_kinds;
inline constexpr std::size_t scope_count = pool_kinds + 1;

using Quotas = std::array<CounterValues, scope_count>;

/// One arena's share of the statistics, guarded by the arena's lock.
///
/// A peak belongs to the sum over all arenas, which no arena can see. So each has a quota: as
/// long as every arena stays within its own, the sum cannot pass the peak, for the quotas add
/// up to no more than that. See Ledger.
struct Counters {
  std::array<CounterValues, pool_kinds> current{};
  Quotas quota{};                                     ///< for what `value` gives
  std::array<CounterValues, pool_kinds> increased{};  ///< sum of increases since the last reset
  /// Frees that wait for other streams, as `allocation` and `allocated_bytes`.
  std::array<CounterValues, pool_kinds> pending{};

  /// Both tell whether the counter now exceeds a quota.
  bool increase(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    increased[index(kind)][counter] += amount;
    current[index(kind)][counter] += amount;
    return (spare(index(kind), counter) | spare(all_scope, counter)) < 0;
  }
  /// One increase or one decrease.
  bool change(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    if (amount > 0) return increase(kind, counter, amount);
    decrease(kind, counter, -amount);
    return false;
  }
  void decrease(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    current[index(kind)][counter] -= amount;
  }

  /// A block that is not allocated any more stays active. Its share of the quotas goes with
  /// it, so that what is allocated in its place cannot pass the peak of active blocks unnoticed.
  void begin_pending(PoolKind kind, std::int64_t bytes) noexcept {
    begin_pending_one(index(kind), allocation, 1);
    begin_pending_one(index(kind), allocated_bytes, bytes);
  }
  void end_pending(PoolKind kind, std::int64_t bytes) noexcept {
    pending[index(kind)][allocation] -= 1;
    pending[index(kind)][allocated_bytes] -= bytes;
  }

  [[nodiscard]] std::int64_t value(std::size_t scope, std::size_t counter) const noexcept {
    return scope == all_scope ? current[0][counter] + current[1][counter] : current[scope][counter];
  }
  /// What is left of a quota; negative when it is exceeded.
  [[nodiscard]] std::int64_t spare(std::size_t scope, std::size_t counter) const noexcept {
    return quota[scope][counter] - value(scope, counter);
  }
  [[nodiscard]] bool exceeds_any() const noexcept;
  [[nodiscard]] bool has_spare() const noexcept;
  [[nodiscard]] Quotas spare() const noexcept;
  /// Parts with what is not used of the quotas: all of that, or so much that another, who has
  /// `theirs` to spare, then has the same.
  [[nodiscard]] Quotas give_spare(const Quotas& theirs, bool all_of_it) noexcept;
  void add_quotas(const Quotas& more) noexcept;
  /// Allocations since the last reset.
  [[nodiscard]] std::int64_t allocations() const noexcept {
    return increased[0][allocation] + increased[1][allocation];
  }

  static constexpr std::size_t index(PoolKind kind) noexcept { return static_cast<std::size_t>(kind); }

 private:
  void begin_pending_one(std::size_t kind, Counter counter, std::int64_t amount) noexcept {
    pending[kind][counter] += amount;
    quota[kind][counter] -= amount;
    quota[all_scope][counter] -= amount;
  }
};

}  // namespace gpucheck::runtime::detail
