#include "runtime/caching/counters/counters.hpp"

#include "runtime/caching/counters/change_log.hpp"

namespace gpucheck::runtime::detail {

void Counters::begin_pending_free(PoolKind kind, std::int64_t bytes) noexcept {
  decrease(kind, allocation, 1);
  decrease(kind, allocated_bytes, bytes);
  add_pending(kind, 1, bytes);
  end_change(kind, {.allocated = -1}, -bytes, 0, {});
}

void Counters::end_pending_free(PoolKind kind, std::int64_t bytes, std::int64_t requested, SplitChange split) noexcept {
  add_pending(kind, -1, -bytes);
  decrease(kind, requested_bytes, requested);
  change_splits(kind, split);
  end_change(kind, {.active = -1}, -bytes, -requested, split);
}

void Counters::add_pending(PoolKind kind, std::int64_t blocks, std::int64_t bytes) noexcept {
  pending_[index(kind)].blocks += blocks;
  pending_[index(kind)].bytes += bytes;
  pending_blocks_ += blocks;
}

KindValues Counters::values() const noexcept {
  KindValues result{};
  for (std::size_t kind = 0; kind < pool_kinds; ++kind) {
    std::ranges::copy(current[kind], result[kind].begin());
    result[kind][active] = result[kind][allocation] + pending_[kind].blocks;
    result[kind][active_bytes] = result[kind][allocated_bytes] + pending_[kind].bytes;
  }
  return result;
}

/// While nothing is pending, what is active is what is allocated.
ScopeValues Counters::highest() const noexcept {
  ScopeValues result = highest_;
  for (CounterValues& scope : result) {
    scope[active] = std::max(scope[active], scope[allocation]);
    scope[active_bytes] = std::max(scope[active_bytes], scope[allocated_bytes]);
  }
  return result;
}

void Counters::end_other_change(PoolKind kind, BlockChange blocks, std::int64_t bytes, std::int64_t requested,
                                SplitChange split) noexcept {
  if (pending_blocks_ != 0) {
    const ScopeValues now = over_scopes(values());
    for (std::size_t scope = 0; scope < scope_count; ++scope) {
      raise(highest_[scope][active], now[scope][active]);
      raise(highest_[scope][active_bytes], now[scope][active_bytes]);
    }
  }
  const auto split_blocks = static_cast<std::int8_t>(split.count);
  if (log != nullptr) log->append({kind, blocks, split_blocks, bytes, requested, split.bytes}, *this);
}

}  // namespace gpucheck::runtime::detail
