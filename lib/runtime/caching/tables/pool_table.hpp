#pragma once

#include <iterator>
#include <map>
#include <set>

#include "runtime/allocator/routings.hpp"
#include "runtime/caching/arena/pool.hpp"
#include "runtime/caching/tables/slow_path_reasons.hpp"

namespace gpucheck::runtime::detail {

/// The pool that allocations of `stream` come from: the newest routing that takes them decides.
/// Calls filters, which are the user's: to be called without any lock held.
[[nodiscard]] PoolId choose_pool(const Routings& routings, device::Stream stream);

/// The default pool, the private ones, and which allocations go where. Changed only with all
/// arenas closed; read also with the allocator's mutex held.
class PoolTable {
 public:
  explicit PoolTable(SlowPathReasons& slow_path) noexcept : slow_path_(slow_path) {}

  [[nodiscard]] Pool& default_pool() noexcept { return default_; }
  [[nodiscard]] bool is_default(const Pool& pool) const noexcept { return &pool == &default_; }
  /// Null for an unknown one.
  [[nodiscard]] Pool* find(PoolId id) noexcept;
  /// The same for private pools only.
  [[nodiscard]] Pool* find_private(PoolId id) noexcept { return id.is_default() ? nullptr : find(id); }
  [[nodiscard]] const std::map<PoolId, Pool>& private_pools() const noexcept { return private_; }

  /// Makes the pool, or uses it once more. @throws Error for one that was released.
  void use(PoolId id, PoolOptions options);
  /// Drops one use. @throws Error for a pool without any.
  void release(PoolId id);
  /// Forgets the released private pools for which `is_done(pool)`. Of `only`, unless that is the default one.
  template <typename IsDone>
  void erase_released_if(PoolId only, IsDone&& is_done) {
    auto id = only.is_default() ? released_.begin() : released_.find(only);
    while (id != released_.end()) {
      const auto pool = private_.find(*id);
      const bool erases = is_done(pool->second);
      if (erases) private_.erase(pool);
      id = erases ? released_.erase(id) : std::next(id);
      if (!only.is_default()) return;
    }
  }

  /// Makes or uses the pool, and routes to it. @throws Error when that is done already.
  void begin_routing(PoolId id, PoolFilter filter);
  /// @throws Error when there is no such routing.
  void end_routing(PoolId id);
  [[nodiscard]] const Routings& routings() const noexcept { return routings_; }
  [[nodiscard]] bool is_routing() const noexcept { return routings_ != nullptr; }

 private:
  void set_routings(Routings routings);

  SlowPathReasons& slow_path_;
  Pool default_;
  std::map<PoolId, Pool> private_;
  std::set<PoolId> released_;  ///< of these: without a use
  Routings routings_;
};

}  // namespace gpucheck::runtime::detail
