#pragma once

#include <cstdint>
#include <vector>

#include "device/values/handles.hpp"
#include "runtime/allocator/pool_id.hpp"

namespace gpucheck::runtime {

enum class BlockState : std::uint8_t {
  inactive,             ///< free for reuse
  active_allocated,     ///< in use by the caller
  active_pending_free,  ///< freed by the caller, but other streams may still use it
};

/// "inactive", "active_allocated" or "active_pending_free".
const char* name_of(BlockState state) noexcept;

/// One block of a segment. Sizes in bytes.
struct BlockInfo {
  std::uintptr_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested_size = 0;  ///< of its present or, when inactive, last use
  BlockState state = BlockState::inactive;
  bool operator==(const BlockInfo&) const = default;
};

/// One range of device memory and the blocks it is cut into, in address order.
struct SegmentInfo {
  std::uintptr_t address = 0;
  std::uint64_t total_size = 0;
  std::uint64_t allocated_size = 0;
  std::uint64_t active_size = 0;
  std::uint64_t requested_size = 0;  ///< sum over active blocks
  device::Stream stream;
  bool is_large = false;
  PoolId pool;
  bool was_split = false;      ///< now, or at some time since it was obtained
  bool is_expandable = false;  ///< one range of an expandable segment that has memory
  std::vector<BlockInfo> blocks;
  bool operator==(const SegmentInfo&) const = default;
};

}  // namespace gpucheck::runtime
