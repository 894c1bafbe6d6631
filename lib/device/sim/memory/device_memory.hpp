#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/rounding.hpp"
#include "device/sim/memory/address_space.hpp"
#include "device/sim/memory/free_ranges.hpp"
#include "device/values/memory_access.hpp"

namespace gpucheck::sim {

/// Allocations and pools get memory in pages of this many bytes, as on a GPU.
inline constexpr std::uint64_t page_bytes = std::uint64_t{2} << 20;
/// Alignment of every device pointer.
inline constexpr std::uint64_t allocation_alignment = 512;

/// One device's memory: a reservation of addresses whose pages cost nothing until they
/// are written. Capacity is counted in pages; addresses are plentiful, so that like on
/// a GPU with virtual memory a request fails for want of pages, not of a hole that fits.
/// Not thread-safe.
class DeviceMemory {
 public:
  /// Reserves nothing yet: the first `allocate_pages` does.
  DeviceMemory(std::uint64_t capacity_bytes, std::uint64_t reserved_bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  /// Memory for a plain allocation; nothing when there is not enough.
  std::optional<Range> allocate(std::uint64_t bytes);
  /// Frees what `allocate` returned.
  void release(Range range);

  /// Whole pages, for pools. `bytes` is a multiple of `page_bytes`.
  std::optional<std::uintptr_t> allocate_pages(std::uint64_t bytes);
  void free_pages(Range range);

  /// Addresses alone, for memory that a graph uses at each launch: the pages are charged
  /// when it is first launched. `bytes` is a multiple of `page_bytes`.
  std::optional<std::uintptr_t> allocate_addresses(std::uint64_t bytes);
  /// False when there are not that many bytes left.
  bool charge(std::uint64_t bytes) noexcept;
  /// Takes back what was charged for addresses that are not of this reservation.
  void discharge(std::uint64_t bytes) noexcept { used_ -= bytes; }
  void free_addresses(Range range, bool charged);

  /// True for any address of this device, allocated or not.
  [[nodiscard]] bool owns(std::uintptr_t address) const noexcept;
  [[nodiscard]] std::uint64_t free_bytes() const noexcept { return capacity_ - used_; }
  [[nodiscard]] std::uint64_t total_bytes() const noexcept { return capacity_; }

 private:
  void reserve();
  void release_host_pages();

  std::uint64_t capacity_;
  std::uint64_t used_;
  std::uint64_t kept_ = 0;  ///< freed since the host last got its pages back
  Range reservation_;
  AddressSpace pages_;
  FreeRanges small_;  // parts of pages that hold small allocations
};

/// Which byte ranges are allocated, by first address.
class AllocationMap {
 public:
  enum class Origin { plain, pool, graph, mapping };
  struct Allocation {
    std::uint64_t bytes = 0;  ///< as requested
    Origin origin = Origin::plain;
    std::uint64_t block_bytes = 0;        ///< what the allocation takes of its device or pool
    std::shared_ptr<const void> owner{};  ///< keeps a graph's own memory as long as it is allocated
  };

  void add(std::uintptr_t begin, Allocation allocation) { allocations_.insert_or_assign(begin, std::move(allocation)); }
  void remove(std::uintptr_t begin) { allocations_.erase(begin); }
  [[nodiscard]] const Allocation* find(std::uintptr_t begin) const;
  /// True when the whole range lies inside one allocation, or inside mappings next to
  /// each other.
  [[nodiscard]] bool contains(Range range) const;
  /// The same of each run of an access.
  [[nodiscard]] bool contains(const device::MemoryAccess& access) const;
  [[nodiscard]] std::uint64_t bytes() const noexcept;

 private:
  [[nodiscard]] std::optional<Range> piece_after(std::uintptr_t address) const;

  std::map<std::uintptr_t, Allocation> allocations_;
};

}  // namespace gpucheck::sim
