#include "runtime/allocator/pool_id.hpp"

#include <atomic>

namespace gpucheck::runtime {

PoolId graph_pool_handle() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return {0, ++last};
}

PoolId next_capture_pool_id() noexcept {
  static std::atomic<std::uint64_t> last = 0;
  return {++last, 0};
}

}  // namespace gpucheck::runtime
