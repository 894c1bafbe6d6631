#pragma once

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

/// One arena's share of the statistics, guarded by the arena's lock.
///
/// A peak belongs to the sum over all arenas, which no arena can see. So each has a quota: as
/// long as every arena stays within its own, the sum cannot pass the peak, for the quotas add
/// up to no more than that. See Ledger.
struct Counters {
  std::array<CounterValues, pool_kinds> current{};
  std::array<CounterValues, pool_kinds> increased{};  ///< sum of increases since the last reset
  std::array<CounterValues, pool_kinds> quota{};      ///< for `current` of one kind
  CounterValues quota_all{};                          ///< for the sum over the kinds
  /// Frees that wait for other streams, as `allocation` and `allocated_bytes`.
  std::array<CounterValues, pool_kinds> pending{};

  /// Both tell whether the counter now exceeds a quota.
  bool increase(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    increased[index(kind)][counter] += amount;
    current[index(kind)][counter] += amount;
    return is_exceeded(kind, counter);
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

  [[nodiscard]] std::int64_t all(std::size_t counter) const noexcept {
    return current[0][counter] + current[1][counter];
  }

  static constexpr std::size_t index(PoolKind kind) noexcept { return static_cast<std::size_t>(kind); }

 private:
  void begin_pending_one(std::size_t kind, Counter counter, std::int64_t amount) noexcept {
    pending[kind][counter] += amount;
    quota[kind][counter] -= amount;
    quota_all[counter] -= amount;
  }
  [[nodiscard]] bool is_exceeded(PoolKind kind, Counter counter) const noexcept {
    const std::int64_t spare = quota[index(kind)][counter] - current[index(kind)][counter];
    return (spare | (quota_all[counter] - all(counter))) < 0;
  }
};

}  // namespace gpucheck::runtime::detail
