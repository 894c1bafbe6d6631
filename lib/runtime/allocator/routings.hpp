#pragma once

#include <memory>

#include "runtime/allocator/device_allocator.hpp"

namespace gpucheck::runtime::detail {

struct Routing;
/// Which allocations come from which pools: the newest routing, which knows those before it; null
/// when there is none. Never changed, only replaced, so that the filters, which are the user's,
/// can be asked without any lock held.
using Routings = std::shared_ptr<const Routing>;

/// Allocations that pass the filter come from the pool.
struct Routing {
  PoolId pool;
  PoolFilter filter;
  Routings older;
};

[[nodiscard]] bool routes_to(const Routings& routings, PoolId pool) noexcept;
[[nodiscard]] Routings with_routing(const Routings& routings, PoolId pool, PoolFilter filter);
[[nodiscard]] Routings without_routing(const Routings& routings, PoolId pool);

}  // namespace gpucheck::runtime::detail
