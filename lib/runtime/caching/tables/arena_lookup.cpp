#include "runtime/caching/tables/arena_lookup.hpp"

namespace gpucheck::runtime::detail {

AddressMap::AddressMap() {
  tables_.push_back(std::make_unique<Table>(64));
  table_ = tables_.back().get();
}

void AddressMap::insert(std::uintptr_t address, std::uint64_t size, Arena& arena) {
  for (std::uint64_t chunk = chunk_of(address); chunk <= chunk_of(address + size - 1); ++chunk) {
    // Chunks of one segment follow each other, which the hash spreads evenly: few probes.
    if (++size_ * 4 > tables_.back()->slots.size() * 3) grow();
    place(*tables_.back(), chunk, &arena);
  }
}

void AddressMap::erase(std::uintptr_t address, std::uint64_t size, const Arena& arena) noexcept {
  for (std::uint64_t chunk = chunk_of(address); chunk <= chunk_of(address + size - 1); ++chunk) {
    remove(*tables_.back(), chunk, &arena);
    --size_;
  }
}

void AddressMap::place(Table& table, std::uint64_t chunk, Arena* arena) noexcept {
  std::size_t at = table.home(chunk);
  while (table.slots[at].chunk.load(std::memory_order_relaxed) != 0) at = (at + 1) & table.mask;
  table.slots[at].arena.store(arena, std::memory_order_release);
  table.slots[at].chunk.store(chunk, std::memory_order_release);
}

void AddressMap::remove(Table& table, std::uint64_t chunk, const Arena* arena) noexcept {
  const auto holds = [&](const Slot& slot) { return slot.chunk == chunk && slot.arena == arena; };
  std::size_t hole = table.home(chunk);
  while (!holds(table.slots[hole])) hole = (hole + 1) & table.mask;
  // Close the gap: move up every follower that the hole would cut off from its home.
  for (std::size_t at = (hole + 1) & table.mask; table.slots[at].chunk != 0; at = (at + 1) & table.mask) {
    const std::uint64_t follower = table.slots[at].chunk;
    const std::size_t distance_from_home = (at - table.home(follower)) & table.mask;
    if (distance_from_home < ((at - hole) & table.mask)) continue;
    table.slots[hole].arena = table.slots[at].arena.load();
    table.slots[hole].chunk = follower;
    hole = at;
  }
  table.slots[hole].chunk = 0;
}

void AddressMap::grow() {
  auto larger = std::make_unique<Table>(tables_.back()->slots.size() * 2);
  for (const Slot& slot : tables_.back()->slots) {
    if (slot.chunk != 0) place(*larger, slot.chunk, slot.arena);
  }
  table_.store(larger.get(), std::memory_order_release);
  tables_.push_back(std::move(larger));
}

std::size_t AddressMap::bytes() const noexcept {
  std::size_t total = 0;
  for (const auto& table : tables_) total += table->slots.size() * sizeof(Slot);
  return total;
}

StreamMap::StreamMap() {
  tables_.push_back(std::make_unique<Table>(64));
  table_ = tables_.back().get();
}

void StreamMap::insert(Arena& arena) {
  if (++size_ * 2 > tables_.back()->slots.size()) {
    auto larger = std::make_unique<Table>(tables_.back()->slots.size() * 2);
    for (const Slot& slot : tables_.back()->slots) {
      if (slot.arena != nullptr) place(*larger, slot.stream, slot.arena);
    }
    table_.store(larger.get(), std::memory_order_release);
    tables_.push_back(std::move(larger));
  }
  place(*tables_.back(), arena.stream().value, &arena);
}

void StreamMap::place(Table& table, std::uint64_t stream, Arena* arena) noexcept {
  std::size_t at = table.home(stream);
  while (table.slots[at].arena.load(std::memory_order_relaxed) != nullptr) at = (at + 1) & (table.slots.size() - 1);
  table.slots[at].stream = stream;
  table.slots[at].arena.store(arena, std::memory_order_release);
}

std::size_t StreamMap::bytes() const noexcept {
  std::size_t total = 0;
  for (const auto& table : tables_) total += table->slots.size() * sizeof(Slot);
  return total;
}

}  // namespace gpucheck::runtime::detail
