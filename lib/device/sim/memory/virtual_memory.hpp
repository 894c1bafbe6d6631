#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "device/sim/memory/free_ranges.hpp"

namespace gpucheck::sim {

/// One device's reserved addresses, and which parts of them have memory. How much memory
/// there is, is `DeviceMemory`'s business. Sizes and addresses are multiples of
/// device::mapping_granularity. Not thread-safe.
class VirtualMemory {
 public:
  VirtualMemory() = default;
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;
  ~VirtualMemory();

  /// Nothing when the host has no such range of addresses left.
  std::optional<std::uintptr_t> reserve(std::uint64_t bytes);
  /// False unless this is a whole reservation with nothing mapped in it.
  bool release(Range range);
  /// True when the range is reserved and no part of it is mapped.
  [[nodiscard]] bool is_unmapped(Range range) const noexcept;
  /// False unless the range is reserved and wholly unmapped.
  bool map(Range range);
  /// False unless the range is what one `map` mapped. The contents are lost.
  bool unmap(Range range);
  /// True for any reserved address, mapped or not.
  [[nodiscard]] bool owns(std::uintptr_t address) const noexcept;

 private:
  struct Reservation {
    std::uint64_t bytes = 0;
    std::map<std::uintptr_t, std::uint64_t> pieces{};  ///< mapped, by address
  };
  using Reservations = std::map<std::uintptr_t, Reservation>;

  [[nodiscard]] Reservations::const_iterator containing(std::uintptr_t address) const noexcept;

  Reservations reservations_;
};

}  // namespace gpucheck::sim
