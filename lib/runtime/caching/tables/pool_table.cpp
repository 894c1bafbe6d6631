#include "runtime/caching/tables/pool_table.hpp"

#include <algorithm>
#include <utility>

namespace gpucheck::runtime::detail {

PoolId choose_pool(const Routings& routings, device::Stream stream) {
  if (routings == nullptr) return {};
  for (auto entry = routings->rbegin(); entry != routings->rend(); ++entry) {
    if (entry->filter(stream)) return entry->pool;
  }
  return {};
}

Pool* PoolTable::find(PoolId id) noexcept {
  if (id.is_default()) return &default_;
  const auto found = private_.find(id);
  return found == private_.end() ? nullptr : found->second.get();
}

void PoolTable::use(PoolId id, PoolOptions options) {
  if (Pool* pool = find(id)) {
    if (pool->use_count == 0) {
      throw Error("The memory pool was released and waits for its memory to be freed. Use a new pool.");
    }
    ++pool->use_count;
    return;
  }
  auto pool = std::make_unique<Pool>();
  pool->id = id;
  pool->options = options;
  private_.emplace(id, std::move(pool));
}

void PoolTable::release(PoolId id) {
  Pool* pool = find_private(id);
  if (pool == nullptr || pool->use_count == 0) {
    throw Error("release_pool: the memory pool is unknown or was released already.");
  }
  --pool->use_count;
}

void PoolTable::begin_routing(PoolId id, PoolFilter filter) {
  if (id.is_default()) throw Error("Allocations cannot be routed to the default pool (0, 0). Name another pool.");
  use(id, {});
  std::vector<Routing> routings = routings_ == nullptr ? std::vector<Routing>{} : *routings_;
  if (std::ranges::find(routings, id, &Routing::pool) != routings.end()) {
    throw Error("beginAllocateToPool: already recording to mempool_id");
  }
  routings.push_back({id, std::move(filter)});
  set_routings(std::move(routings));
}

void PoolTable::end_routing(PoolId id) {
  std::vector<Routing> routings = routings_ == nullptr ? std::vector<Routing>{} : *routings_;
  if (std::erase_if(routings, [&](const Routing& routing) { return routing.pool == id; }) == 0) {
    throw Error("endAllocatePool: not currently recording to mempool_id");
  }
  set_routings(std::move(routings));
}

void PoolTable::set_routings(std::vector<Routing> routings) {
  routings_ = routings.empty() ? nullptr : std::make_shared<const std::vector<Routing>>(std::move(routings));
  slow_path_.set(SlowPathReason::routing, is_routing());
}

}  // namespace gpucheck::runtime::detail
