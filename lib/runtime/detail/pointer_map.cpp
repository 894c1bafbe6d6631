#include "runtime/detail/pointer_map.hpp"

#include <bit>
#include <utility>

namespace gpucheck::runtime::detail {

/// Where `address` is; slots_.size() when it is not in the map.
std::size_t PointerMap::position(const BlockStore& blocks, std::uintptr_t address) const noexcept {
  if (slots_.empty()) return 0;
  const std::uint32_t hash = hash_of(address);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = home(hash);; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.index == no_block) return slots_.size();
    if (slot.hash == hash && blocks[slot.index].address == address) return at;
  }
}

BlockIndex PointerMap::find(const BlockStore& blocks, std::uintptr_t address) const noexcept {
  const std::size_t at = position(blocks, address);
  return at == slots_.size() ? no_block : slots_[at].index;
}

void PointerMap::insert(const BlockStore& blocks, BlockIndex index) {
  if (++size_ * 8 > slots_.size() * 5) grow();
  place({hash_of(blocks[index].address), index});
}

BlockIndex PointerMap::erase(const BlockStore& blocks, std::uintptr_t address) noexcept {
  std::size_t hole = position(blocks, address);
  if (hole == slots_.size()) return no_block;
  const BlockIndex erased = slots_[hole].index;
  const std::size_t mask = slots_.size() - 1;
  // Close the gap: move up every follower that the hole would cut off from its home.
  for (std::size_t at = (hole + 1) & mask; slots_[at].index != no_block; at = (at + 1) & mask) {
    const std::size_t distance_from_home = (at - home(slots_[at].hash)) & mask;
    if (distance_from_home < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = Slot{};
  --size_;
  return erased;
}

void PointerMap::place(Slot slot) noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = home(slot.hash);
  while (slots_[at].index != no_block) at = (at + 1) & mask;
  slots_[at] = slot;
}

void PointerMap::grow() {
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 16 : slots_.size() * 2));
  shift_ = 32U - static_cast<unsigned>(std::countr_zero(slots_.size()));
  for (const Slot& slot : old) {
    if (slot.index != no_block) place(slot);
  }
}

}  // namespace gpucheck::runtime::detail
