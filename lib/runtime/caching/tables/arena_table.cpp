#include "runtime/caching/tables/arena_table.hpp"

#include <algorithm>

namespace gpucheck::runtime::detail {

Arena& ArenaTable::get_or_make(Pool& pool, device::Stream stream) {
  const auto place = std::ranges::lower_bound(pool.arenas, stream, {}, &Arena::stream);
  if (place != pool.arenas.end() && (*place)->stream() == stream) return **place;
  Arena& arena = idle_or_new();
  arena.assign(pool, stream);
  pool.arenas.insert(place, &arena);
  if (pool.id.is_default()) by_stream_.insert(arena);
  return arena;
}

Arena& ArenaTable::idle_or_new() {
  if (!idle_.empty()) {
    Arena* arena = idle_.back();
    idle_.pop_back();
    return *arena;
  }
  if (is_confined()) return *arenas_.emplace_back(std::make_unique<Arena>(arenas_.size(), *shared_counters_));
  Arena& arena = *arenas_.emplace_back(std::make_unique<Arena>(arenas_.size()));
  arena.lock.close();
  counters_.push_back(&arena.counters());
  return arena;
}

void ArenaTable::confine_to_one_thread() {
  shared_counters_ = std::make_unique<Counters>();
  counters_.push_back(shared_counters_.get());
}

BlockRef ArenaTable::find_in_use(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (Arena* arena = at_address(address)) {
    if (const BlockIndex index = arena->find(address).index; index != no_block) return {arena, index};
  }
  for (const auto& arena : arenas_) {
    if (const BlockIndex index = arena->find(address).index; index != no_block) return {arena.get(), index};
  }
  return {};
}

std::size_t ArenaTable::bytes() const noexcept {
  std::size_t total = by_address_.bytes() + by_stream_.bytes();
  for (const auto& arena : arenas_) total += arena->bytes();
  return total;
}

}  // namespace gpucheck::runtime::detail
