#include <algorithm>
#include <iterator>

#include "device/check.hpp"
#include "runtime/caching/detail/state.hpp"
#include "runtime/caching/detail/statistic_changes.hpp"

// Expandable segments: each stream has, for each kind of pool, one long stretch of
// reserved addresses that memory is mapped into where it is needed, and unmapped from.
namespace gpucheck::runtime {

using detail::add;
using detail::subtract;

/// A free block that is large enough, made by mapping memory. What was mapped before the
/// device ran out stays as a free block.
CachingAllocator::State::BlockRef CachingAllocator::State::obtain_expandable(const Request& request) {
  Arena& arena = *request.arena;
  BlockIndex block = find_room(arena, request.kind(), request.rounded);
  if (block == detail::no_block) return {};  // more than a whole stretch of addresses
  if (!arena[block].mapped) {
    block = add_memory({&arena, block}, std::min(arena[block].size, request.rounded));
    if (block == detail::no_block) return {};
  }
  while (arena[block].size < request.rounded) {
    const BlockIndex next = arena[block].next;
    block = add_memory({&arena, next}, std::min(request.rounded - arena[block].size, arena[next].size));
    if (block == detail::no_block) return {};
  }
  return {&arena, block};
}

CachingAllocator::State::BlockIndex CachingAllocator::State::find_room(Arena& arena, PoolKind kind,
                                                                       std::uint64_t bytes) {
  const BlockIndex found = arena.find_room(kind, bytes);
  if (found != detail::no_block || bytes > reservation_bytes()) return found;
  reserve(arena, kind);
  return arena.find_room(kind, bytes);
}

/// An eighth more than there is memory, as PyTorch does: pages can then be put at the
/// end that were unmapped in front.
std::uint64_t CachingAllocator::State::reservation_bytes() const {
  const std::uint64_t total = device_.properties().total_memory_bytes;
  return total + total / 8;
}

void CachingAllocator::State::reserve(Arena& arena, PoolKind kind) {
  const std::uint64_t page = kind == PoolKind::small ? small_segment_size : settings_.large_segment_size;
  auto reservation = std::make_unique<detail::Reservation>(device_, reservation_bytes(), page);
  arena.add_reservation(reservation->address(), reservation->bytes(), kind);
  ++arena.pool().segment_count;
  reservations_.emplace(reservation->address(), std::move(reservation));
}

detail::Reservation& CachingAllocator::State::reservation_of(std::uintptr_t address) {
  return *std::prev(reservations_.upper_bound(address))->second;
}

CachingAllocator::State::BlockIndex CachingAllocator::State::add_memory(BlockRef ref, std::uint64_t bytes) {
  const std::uintptr_t address = ref.block().address;
  const detail::Reservation::Range mapped = reservation_of(address).map({address, bytes});
  if (mapped.bytes == 0) return detail::no_block;
  addresses_.insert(mapped.address, mapped.bytes, *ref.arena);
  add(totals_.reserved_bytes, ref.block().kind, mapped.bytes);
  ++totals_.num_device_alloc;
  record(*ref.arena, MemoryAction::segment_map, mapped.address, mapped.bytes);
  return ref.arena->add_memory(ref.index, mapped.bytes);
}

/// Unlike a plain free, unmapping does not wait for work that still uses the memory. A
/// private pool's may be in use wherever its graphs were replayed: PyTorch waits for the
/// pool's own stream alone. With a capture open the device as a whole cannot be waited for.
void CachingAllocator::State::wait_for_users(const Arena& arena) {
  const bool on_any_stream = &arena.pool() != &default_pool_ && routings_.empty();
  const device::Status status = on_any_stream ? device_.synchronize() : device_.synchronize(arena.stream());
  device::check(status, "wait for work that uses memory to unmap");
}

void CachingAllocator::State::remove_memory(BlockRef ref) {
  const detail::Reservation::Range free{ref.block().address, ref.block().size};
  detail::Reservation& reservation = reservation_of(free.address);
  if (reservation.whole_pages(free).bytes == 0) return;
  wait_for_users(*ref.arena);
  const detail::Reservation::Range unmapped = reservation.unmap(free);
  addresses_.erase(unmapped.address, unmapped.bytes, *ref.arena);
  subtract(totals_.reserved_bytes, ref.block().kind, unmapped.bytes);
  ++totals_.num_device_free;
  record(*ref.arena, MemoryAction::segment_unmap, unmapped.address, unmapped.bytes);
  ref.index = ref.arena->remove_memory(ref.index, unmapped.address, unmapped.bytes);
  if (ref.block().is_split()) return;
  ref.arena->remove_segment(ref.index);
  reservations_.erase(reservation.address());
  --ref.arena->pool().segment_count;
}

}  // namespace gpucheck::runtime
