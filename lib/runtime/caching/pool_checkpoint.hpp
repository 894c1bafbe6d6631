#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/allocator/pool_id.hpp"

namespace gpucheck::runtime {

class CachingAllocator;
class Storage;

/// The blocks of a private pool as they were at one time. A value; it owns nothing.
struct PoolCheckpoint {
  struct Block {
    std::uint64_t size = 0;  ///< in bytes
    bool allocated = false;
  };
  /// One range of memory and all its blocks, in address order.
  struct Segment {
    std::uintptr_t address = 0;
    std::vector<Block> blocks;
    [[nodiscard]] std::uint64_t bytes() const noexcept;
  };

  PoolId pool;
  std::vector<Segment> segments;
};

/// What `CachingAllocator::restore` did.
struct PoolRestoration {
  std::vector<void*> freed;  ///< blocks that were in use before
  std::vector<void*> live;   ///< those in use now, which nobody owns yet
};

/// Restores a pool and decides who owns what. `stale` are the storages whose memory goes:
/// they own nothing afterwards. `revived` get their memory back: they own it afterwards.
/// A live block that no storage of `revived` has is nobody's: freeing it is the caller's
/// business. @throws Error, with nothing changed, when a block would go that no stale
/// storage has, when a stale storage has no block in use, or a revived one has an owner
/// already.
void restore_pool(CachingAllocator& allocator, const PoolCheckpoint& checkpoint, std::span<Storage* const> stale,
                  std::span<Storage* const> revived);

}  // namespace gpucheck::runtime
