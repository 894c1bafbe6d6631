#pragma once

#include <compare>
#include <cstdint>

namespace gpucheck::runtime {

/// Names a memory pool. (0, 0) is the default pool; (k, 0) was made by a graph capture
/// that was given none; (0, k) by `graph_pool_handle`.
struct PoolId {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  auto operator<=>(const PoolId&) const = default;
  [[nodiscard]] bool is_default() const noexcept { return first == 0 && second == 0; }
};

/// A pool id (0, k) that several graphs may share; k counts up from 1 in the process.
PoolId graph_pool_handle() noexcept;
/// A pool id (k, 0) for one capture; k counts up from 1 in the process.
PoolId next_capture_pool_id() noexcept;

}  // namespace gpucheck::runtime
