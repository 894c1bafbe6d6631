#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/values/handles.hpp"
#include "runtime/caching/arena/arena.hpp"

namespace gpucheck::runtime::detail {

/// Which arena an address may belong to. Read without a lock while one writer changes
/// it: what a reader gets is a hint, to be confirmed under the arena's lock; a miss has
/// to be confirmed with all arenas closed.
class AddressMap {
 public:
  AddressMap();
  /// An arena with a segment in the same 2 MiB as `address`; null for none.
  [[nodiscard]] Arena* find(std::uintptr_t address) const noexcept;
  void insert(std::uintptr_t address, std::uint64_t size, Arena& arena);
  void erase(std::uintptr_t address, std::uint64_t size, const Arena& arena) noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  struct Slot {
    std::atomic<std::uint64_t> chunk = 0;  ///< 2 MiB chunk number plus 1; 0 is empty
    std::atomic<Arena*> arena = nullptr;
  };
  struct Table {
    explicit Table(std::size_t size) : slots(size), mask(size - 1) {}
    std::vector<Slot> slots;
    std::size_t mask;
    [[nodiscard]] std::size_t home(std::uint64_t chunk) const noexcept {
      return static_cast<std::size_t>((chunk * 0x9E3779B97F4A7C15U) >> 32U) & mask;
    }
  };
  static std::uint64_t chunk_of(std::uintptr_t address) noexcept { return (address >> 21U) + 1; }

  static void place(Table& table, std::uint64_t chunk, Arena* arena) noexcept;
  static void remove(Table& table, std::uint64_t chunk, const Arena* arena) noexcept;
  void grow();

  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;  ///< the last is in use; readers may still be in the others
  std::size_t size_ = 0;
};

/// The default pool's arena of each stream. Read without a lock while one writer adds.
class StreamMap {
 public:
  StreamMap();
  /// Null for a stream without one.
  [[nodiscard]] Arena* find(device::Stream stream) const noexcept;
  void insert(Arena& arena);
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  /// With the stream beside the arena: to look at another stream's arena would cost a line that its thread writes.
  struct Slot {
    std::uint64_t stream = 0;             ///< written before `arena`
    std::atomic<Arena*> arena = nullptr;  ///< null: empty
  };
  struct Table {
    explicit Table(std::size_t size) : slots(size), shift(65U - static_cast<unsigned>(std::bit_width(size))) {}
    std::vector<Slot> slots;
    unsigned shift;  ///< leaves log2 of the size: the high bits differ most, whatever the streams have in common
    [[nodiscard]] std::size_t home(std::uint64_t stream) const noexcept {
      return static_cast<std::size_t>((stream * 0x9E3779B97F4A7C15U) >> shift);
    }
  };
  static void place(Table& table, std::uint64_t stream, Arena* arena) noexcept;

  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;
  std::size_t size_ = 0;
};

// Every call of the allocator asks one of them: inline.

inline Arena* AddressMap::find(std::uintptr_t address) const noexcept {
  const Table& table = *table_.load(std::memory_order_acquire);
  const std::uint64_t chunk = chunk_of(address);
  // Bounded: while a writer moves slots, a reader may not see the empty one.
  std::size_t at = table.home(chunk);
  for (std::size_t probes = 0; probes <= table.mask; ++probes, at = (at + 1) & table.mask) {
    const std::uint64_t found = table.slots[at].chunk.load(std::memory_order_acquire);
    if (found == 0) return nullptr;
    if (found == chunk) return table.slots[at].arena.load(std::memory_order_acquire);
  }
  return nullptr;
}

inline Arena* StreamMap::find(device::Stream stream) const noexcept {
  const Table& table = *table_.load(std::memory_order_acquire);
  for (std::size_t at = table.home(stream.value);; at = (at + 1) & (table.slots.size() - 1)) {
    Arena* arena = table.slots[at].arena.load(std::memory_order_acquire);
    if (arena == nullptr || table.slots[at].stream == stream.value) return arena;
  }
}

}  // namespace gpucheck::runtime::detail
