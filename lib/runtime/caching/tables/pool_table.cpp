#include "runtime/caching/tables/pool_table.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

PoolId choose_pool(const Routings& routings, device::Stream stream) {
  for (const Routing* routing = routings.get(); routing != nullptr; routing = routing->older.get()) {
    if (routing->filter(stream)) return routing->pool;
  }
  return {};
}

Pool* PoolTable::find(PoolId id) noexcept {
  if (id.is_default()) return &default_;
  const auto found = private_.find(id);
  return found == private_.end() ? nullptr : &found->second;
}

void PoolTable::use(PoolId id, PoolOptions options) {
  if (id.is_default()) {
    ++default_.use_count;
    return;
  }
  const auto [place, is_new] = private_.try_emplace(id);
  Pool& pool = place->second;
  if (is_new) {
    pool.id = id;
    pool.options = options;
    return;
  }
  if (pool.use_count == 0) {
    throw Error("The memory pool was released and waits for its memory to be freed. Use a new pool.");
  }
  ++pool.use_count;
}

void PoolTable::release(PoolId id) {
  Pool* pool = find_private(id);
  if (pool == nullptr || pool->use_count == 0) {
    throw Error("release_pool: the memory pool is unknown or was released already.");
  }
  if (--pool->use_count == 0) released_.insert(id);
}

void PoolTable::begin_routing(PoolId id, PoolFilter filter) {
  if (id.is_default()) throw Error("Allocations cannot be routed to the default pool (0, 0). Name another pool.");
  use(id, {});
  if (routes_to(routings_, id)) throw Error("beginAllocateToPool: already recording to mempool_id");
  set_routings(with_routing(routings_, id, std::move(filter)));
}

void PoolTable::end_routing(PoolId id) {
  if (!routes_to(routings_, id)) throw Error("endAllocatePool: not currently recording to mempool_id");
  set_routings(without_routing(routings_, id));
}

void PoolTable::set_routings(Routings routings) {
  routings_ = std::move(routings);
  slow_path_.set(SlowPathReason::routing, is_routing());
}

}  // namespace gpucheck::runtime::detail
