#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::runtime::detail {

class ChangeLog;

/// The statistics that move with blocks. Those of `active` blocks follow from `allocation`,
/// `allocated_bytes` and the pending frees.
enum Counter : std::uint8_t {
  allocation,
  allocated_bytes,
  requested_bytes,
  inactive_split,
  inactive_split_bytes,
  active,
  active_bytes
};
inline constexpr std::size_t counter_count = 7;
inline constexpr std::size_t moving_count = active;  ///< those before `active` are counted
using CounterValues = std::array<std::int64_t, counter_count>;
using MovingValues = std::array<std::int64_t, moving_count>;

/// What a counter is summed up over: one kind of block, as PoolKind, or both.
inline constexpr std::size_t all_scope = pool_kinds;
inline constexpr std::size_t scope_count = pool_kinds + 1;

using KindValues = std::array<CounterValues, pool_kinds>;
using ScopeValues = std::array<CounterValues, scope_count>;

[[nodiscard]] inline ScopeValues over_scopes(const KindValues& values) noexcept {
  ScopeValues result{values[0], values[1], values[0]};
  for (std::size_t counter = 0; counter < counter_count; ++counter) result[all_scope][counter] += values[1][counter];
  return result;
}
/// Adds the difference of two values.
inline void add_difference(ScopeValues& to, const ScopeValues& after, const ScopeValues& before) noexcept {
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      to[scope][counter] += after[scope][counter] - before[scope][counter];
    }
  }
}

/// Each value becomes at least the other's.
inline void raise(ScopeValues& values, const ScopeValues& others) noexcept {
  for (std::size_t scope = 0; scope < scope_count; ++scope) {
    for (std::size_t counter = 0; counter < counter_count; ++counter) {
      values[scope][counter] = std::max(values[scope][counter], others[scope][counter]);
    }
  }
}

/// By how many blocks a change moves `allocation` and `active`.
struct BlockChange {
  std::int8_t allocated = 0;
  std::int8_t active = 0;
};

/// What an allocation or a free does to the free blocks that share their segment with others.
struct SplitChange {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};

/// One arena's share of the statistics, guarded by the arena's lock.
///
/// A peak belongs to the sum over all arenas, which no arena can see. So none counts before Turns
/// has admitted it, and each keeps what the peaks can be found from: the highest values that its
/// counters had and, while others count too, a log of the changes.
struct Counters {
  std::size_t room = 0;      ///< changes that may be counted before the arena is admitted again
  ChangeLog* log = nullptr;  ///< null: the highest values are enough, and any number of changes
  std::array<MovingValues, pool_kinds> current{};
  std::array<MovingValues, pool_kinds> increased{};  ///< sum of all increases

  // -- changes: each is one allocation or free. Peaks are those of the states between them ----
  void add_block(PoolKind kind, std::int64_t bytes, std::int64_t requested, SplitChange split) noexcept {
    increase(kind, allocation, 1);
    increase(kind, allocated_bytes, bytes);
    increase(kind, requested_bytes, requested);
    change_splits(kind, split);
    end_change(kind, {.allocated = 1, .active = 1}, bytes, requested, split);
  }
  void remove_block(PoolKind kind, std::int64_t bytes, std::int64_t requested, SplitChange split) noexcept {
    decrease(kind, allocation, 1);
    decrease(kind, allocated_bytes, bytes);
    decrease(kind, requested_bytes, requested);
    change_splits(kind, split);
    end_change(kind, {.allocated = -1, .active = -1}, -bytes, -requested, split);
  }
  /// `remove_block` in two: a block is not allocated any more but stays active, until its free ends.
  void begin_pending_free(PoolKind kind, std::int64_t bytes) noexcept;
  void end_pending_free(PoolKind kind, std::int64_t bytes, std::int64_t requested, SplitChange split) noexcept;

  [[nodiscard]] std::int64_t allocations() const noexcept {
    return increased[0][allocation] + increased[1][allocation];
  }
  [[nodiscard]] KindValues values() const noexcept;
  /// The highest values since `begin_highest`.
  [[nodiscard]] ScopeValues highest() const noexcept;
  void begin_highest() noexcept {
    highest_ = over_scopes(values());
    is_limited_ = false;
  }
  /// From now on the room ends when a counter exceeds its limit.
  void limit(const ScopeValues& limits) noexcept {
    highest_ = limits;
    is_limited_ = true;
  }

  static constexpr std::size_t index(PoolKind kind) noexcept { return static_cast<std::size_t>(kind); }

 private:
  struct Pending {
    std::int64_t blocks = 0;
    std::int64_t bytes = 0;
  };

  /// A branch that is hardly ever taken in the steady state: cheaper than a store each time.
  void raise(std::int64_t& highest, std::int64_t value) noexcept {
    if (value <= highest) [[likely]]
      return;
    highest = value;
    if (is_limited_) room = 0;
  }
  void increase(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    increased[index(kind)][counter] += amount;
    const std::int64_t value = current[index(kind)][counter] += amount;
    raise(highest_[index(kind)][counter], value);
    raise(highest_[all_scope][counter], value + current[1 - index(kind)][counter]);
  }
  void decrease(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    current[index(kind)][counter] -= amount;
  }
  /// One increase or one decrease.
  void change(PoolKind kind, Counter counter, std::int64_t amount) noexcept {
    if (amount > 0) return increase(kind, counter, amount);
    decrease(kind, counter, -amount);
  }
  void change_splits(PoolKind kind, SplitChange split) noexcept {
    change(kind, inactive_split, split.count);
    change(kind, inactive_split_bytes, split.bytes);
  }
  void end_change(PoolKind kind, BlockChange blocks, std::int64_t bytes, std::int64_t requested,
                  SplitChange split) noexcept {
    if (log != nullptr || pending_blocks_ != 0) [[unlikely]]
      end_other_change(kind, blocks, bytes, requested, split);
  }
  void end_other_change(PoolKind kind, BlockChange blocks, std::int64_t bytes, std::int64_t requested,
                        SplitChange split) noexcept;
  void add_pending(PoolKind kind, std::int64_t blocks, std::int64_t bytes) noexcept;

  ScopeValues highest_{};  ///< of `active` only while frees are pending
  std::array<Pending, pool_kinds> pending_{};
  std::int64_t pending_blocks_ = 0;
  bool is_limited_ = false;
};

}  // namespace gpucheck::runtime::detail
