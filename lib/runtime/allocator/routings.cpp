#include "runtime/allocator/routings.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

bool routes_to(const Routings& routings, PoolId pool) noexcept {
  for (const Routing* routing = routings.get(); routing != nullptr; routing = routing->older.get()) {
    if (routing->pool == pool) return true;
  }
  return false;
}

Routings with_routing(const Routings& routings, PoolId pool, PoolFilter filter) {
  return std::make_shared<const Routing>(Routing{pool, std::move(filter), routings});
}

Routings without_routing(const Routings& routings, PoolId pool) {
  if (routings == nullptr) return nullptr;
  if (routings->pool == pool) return without_routing(routings->older, pool);
  return with_routing(without_routing(routings->older, pool), routings->pool, routings->filter);
}

}  // namespace gpucheck::runtime::detail
