#include "runtime/caching/pool_checkpoint.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "runtime/allocator/storage.hpp"
#include "runtime/caching/caching_allocator.hpp"

namespace gpucheck::runtime {
namespace {

using Addresses = std::set<const void*>;

const void* pointer(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

/// Blocks in use in the pool now.
Addresses live_in(const CachingAllocator& allocator, PoolId pool) {
  Addresses live;
  for (const SegmentInfo& segment : allocator.snapshot(pool)) {
    for (const BlockInfo& block : segment.blocks) {
      if (block.state == BlockState::active_allocated) live.insert(pointer(block.address));
    }
  }
  return live;
}

Addresses live_in(const PoolCheckpoint& checkpoint) {
  Addresses live;
  for (const PoolCheckpoint::Segment& segment : checkpoint.segments) {
    std::uintptr_t address = segment.address;
    for (const PoolCheckpoint::Block& block : segment.blocks) {
      if (block.allocated) live.insert(pointer(address));
      address += block.size;
    }
  }
  return live;
}

void require_stale(const Addresses& before, const Addresses& after, std::span<Storage* const> stale) {
  for (const Storage* storage : stale) {
    if (!before.contains(storage->data())) {
      throw Error("A stale storage has no block in use in the pool that is to be restored.");
    }
  }
  for (const void* address : before) {
    const bool named = std::ranges::find(stale, address, &Storage::data) != stale.end();
    if (!after.contains(address) && !named) {
      throw Error("Any stale tensors which are being manually freed must be passed to set checkpoint");
    }
  }
}

}  // namespace

std::uint64_t PoolCheckpoint::Segment::bytes() const noexcept {
  return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Block& block) { return sum + block.size; });
}

void restore_pool(CachingAllocator& allocator, const PoolCheckpoint& checkpoint, std::span<Storage* const> stale,
                  std::span<Storage* const> revived) {
  require_stale(live_in(allocator, checkpoint.pool), live_in(checkpoint), stale);
  for (const Storage* storage : revived) {
    if (storage->owns()) throw Error("Not expecting deleter function: a storage to be revived owns memory already.");
  }
  const PoolRestoration restored = allocator.restore(checkpoint);
  for (Storage* storage : stale) storage->disown();
  for (Storage* storage : revived) {
    if (std::ranges::find(restored.live, storage->data()) != restored.live.end()) storage->own(allocator);
  }
}

}  // namespace gpucheck::runtime
