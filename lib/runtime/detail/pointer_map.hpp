#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/detail/block.hpp"

namespace gpucheck::runtime::detail {

/// Start address to block, for an arena's blocks that are in use. Open addressing with
/// linear probing; an entry holds the upper half of the address's hash, so that a probe
/// rarely looks at a wrong block. Not thread-safe.
class PointerMap {
 public:
  /// Where a block is in the map; good until the next change.
  struct Place {
    std::size_t slot = 0;
    BlockIndex index = no_block;  ///< no_block: not in the map
  };

  [[nodiscard]] Place find(const BlockStore& blocks, std::uintptr_t address) const noexcept {
    const std::uint32_t hash = hash_of(address);
    for (std::size_t at = home(hash);; at = next(at)) {
      const Slot& slot = slots_[at];
      if (slot.index == no_block) return {};
      if (slot.hash == hash && blocks[slot.index].address == address) return {at, slot.index};
    }
  }

  /// `blocks[index]` must not be in the map yet.
  void insert(const BlockStore& blocks, BlockIndex index) {
    if (++size_ > most_) grow();
    put({hash_of(blocks[index].address), index});
  }

  void erase(Place place) noexcept {
    std::size_t hole = place.slot;
    // Close the gap: move up every follower that the hole would cut off from its home.
    for (std::size_t at = next(hole); slots_[at].index != no_block; at = next(at)) {
      if (distance(home(slots_[at].hash), at) < distance(hole, at)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = Slot{};
    --size_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    BlockIndex index = no_block;
  };
  static constexpr std::size_t least_slots = 16;

  static std::uint32_t hash_of(std::uintptr_t address) noexcept {
    return static_cast<std::uint32_t>(((address / min_block_size) * 0x9E3779B97F4A7C15U) >> 32U);
  }
  [[nodiscard]] std::size_t home(std::uint32_t hash) const noexcept { return hash >> shift_; }
  [[nodiscard]] std::size_t next(std::size_t slot) const noexcept { return (slot + 1) & mask_; }
  [[nodiscard]] std::size_t distance(std::size_t from, std::size_t to) const noexcept { return (to - from) & mask_; }
  void put(Slot slot) noexcept {
    std::size_t at = home(slot.hash);
    while (slots_[at].index != no_block) at = next(at);
    slots_[at] = slot;
  }
  void grow();

  std::vector<Slot> slots_{least_slots};  ///< a power of two of them
  std::size_t mask_ = least_slots - 1;
  std::size_t size_ = 0;
  std::size_t most_ = least_slots / 8 * 5;  ///< grows beyond
  unsigned shift_ = 32 - 4;                 ///< leaves log2 of the number of slots
};

}  // namespace gpucheck::runtime::detail
