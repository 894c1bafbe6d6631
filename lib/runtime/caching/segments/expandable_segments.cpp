#include "runtime/caching/segments/expandable_segments.hpp"

#include <algorithm>
#include <iterator>

#include "device/check.hpp"

namespace gpucheck::runtime::detail {

BlockRef ExpandableSegments::obtain(const Request& request) {
  Arena& arena = *request.arena;
  BlockIndex block = find_room(arena, request.kind(), request.rounded);
  if (block == no_block) return {};  // more than a whole reservation
  Heap& heap = arena.unpark();
  if (!heap[block].mapped) {
    block = add_memory({&arena, block}, std::min(heap[block].size, request.rounded));
    if (block == no_block) return {};
  }
  while (heap[block].size < request.rounded) {
    const BlockIndex next = heap[block].next;
    block = add_memory({&arena, next}, std::min(request.rounded - heap[block].size, heap[next].size));
    if (block == no_block) return {};
  }
  return {&arena, block};
}

BlockIndex ExpandableSegments::find_room(Arena& arena, PoolKind kind, std::uint64_t bytes) {
  const BlockIndex found = arena.unpark().find_room(kind, bytes);
  if (found != no_block || bytes > reservation_bytes()) return found;
  reserve(arena, kind);
  return arena.unpark().find_room(kind, bytes);
}

/// An eighth more than there is memory, as PyTorch does: pages can then be put at the
/// end that were unmapped in front.
std::uint64_t ExpandableSegments::reservation_bytes() const {
  const std::uint64_t total = parts_.device.properties().total_memory_bytes;
  return total + total / 8;
}

void ExpandableSegments::reserve(Arena& arena, PoolKind kind) {
  const std::uint64_t page =
      kind == PoolKind::small ? small_segment_size : parts_.configuration.settings().large_segment_size;
  auto reservation = std::make_unique<Reservation>(parts_.device, reservation_bytes(), page);
  arena.unpark().add_reservation(reservation->address(), reservation->bytes(), kind);
  ++arena.pool().segment_count;
  reservations_.emplace(reservation->address(), std::move(reservation));
}

Reservation& ExpandableSegments::reservation_of(std::uintptr_t address) {
  return *std::prev(reservations_.upper_bound(address))->second;
}

BlockIndex ExpandableSegments::add_memory(BlockRef ref, std::uint64_t bytes) {
  const std::uintptr_t address = ref.block().address;
  const Reservation::Range mapped = reservation_of(address).map({address, bytes});
  if (mapped.bytes == 0) return no_block;
  parts_.arenas.add_memory(mapped.address, mapped.bytes, *ref.arena);
  parts_.statistics.memory_mapped(ref.block().kind, mapped.bytes);
  parts_.recording.record(*ref.arena, MemoryAction::segment_map, mapped.address, mapped.bytes);
  return ref.heap().add_memory(ref.index, mapped.bytes);
}

/// Unlike a plain free, unmapping does not wait for work that still uses the memory. A
/// private pool's may be in use wherever its graphs were replayed: PyTorch waits for the
/// pool's own stream alone. With a capture open the device as a whole cannot be waited for.
void ExpandableSegments::wait_for_users(const Arena& arena) {
  const bool on_any_stream = !parts_.pools.is_default(arena.pool()) && !parts_.pools.is_routing();
  const device::Status status = on_any_stream ? parts_.device.synchronize() : parts_.device.synchronize(arena.stream());
  device::check_and_clear(parts_.device, status, "wait for work that uses memory to unmap");
}

void ExpandableSegments::remove_memory(BlockRef ref) {
  const Reservation::Range free{ref.block().address, ref.block().size};
  Reservation& reservation = reservation_of(free.address);
  if (reservation.whole_pages(free).bytes == 0) return;
  wait_for_users(*ref.arena);
  const Reservation::Range unmapped = reservation.unmap(free);
  parts_.arenas.remove_memory(unmapped.address, unmapped.bytes, *ref.arena);
  parts_.statistics.memory_unmapped(ref.block().kind, unmapped.bytes);
  parts_.recording.record(*ref.arena, MemoryAction::segment_unmap, unmapped.address, unmapped.bytes);
  ref.index = ref.heap().remove_memory(ref.index, unmapped.address, unmapped.bytes);
  if (ref.block().is_split()) return;
  ref.heap().remove_segment(ref.index);
  reservations_.erase(reservation.address());
  --ref.arena->pool().segment_count;
}

}  // namespace gpucheck::runtime::detail
