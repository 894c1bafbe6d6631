#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/allocator/rounding.hpp"
#include "runtime/allocator/statistics.hpp"

/// How the statistics that move with segments change.
namespace gpucheck::runtime::detail {

inline void add(Statistic& statistic, std::uint64_t amount) {
  statistic.current += static_cast<std::int64_t>(amount);
  statistic.allocated += static_cast<std::int64_t>(amount);
  statistic.peak = std::max(statistic.peak, statistic.current);
}

inline void subtract(Statistic& statistic, std::uint64_t amount) {
  statistic.current -= static_cast<std::int64_t>(amount);
  statistic.freed += static_cast<std::int64_t>(amount);
}

inline Statistic& of_kind(PoolStatistic& statistic, PoolKind kind) {
  return kind == PoolKind::small ? statistic.small_pool : statistic.large_pool;
}

inline void add(PoolStatistic& statistic, PoolKind kind, std::uint64_t amount) {
  add(statistic.all, amount);
  add(of_kind(statistic, kind), amount);
}

inline void subtract(PoolStatistic& statistic, PoolKind kind, std::uint64_t amount) {
  subtract(statistic.all, amount);
  subtract(of_kind(statistic, kind), amount);
}

}  // namespace gpucheck::runtime::detail
