#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "runtime/caching/segments/request.hpp"
#include "runtime/caching/segments/reservation.hpp"
#include "runtime/caching/shared/configuration.hpp"
#include "runtime/caching/shared/recording.hpp"
#include "runtime/caching/statistics/statistics_table.hpp"
#include "runtime/caching/tables/arena_table.hpp"
#include "runtime/caching/tables/pool_table.hpp"

namespace gpucheck::runtime::detail {

/// What segments are obtained with. References to parts of the same allocator.
struct SegmentParts {
  device::Device& device;
  const Configuration& configuration;
  ArenaTable& arenas;
  PoolTable& pools;
  StatisticsTable& statistics;
  const Recording& recording;
};

/// Expandable segments: each stream has, for each kind of pool, one long range of reserved
/// addresses that memory is mapped into where it is needed, and unmapped from. Every call
/// needs all arenas closed.
class ExpandableSegments {
 public:
  explicit ExpandableSegments(const SegmentParts& parts) noexcept : parts_(parts) {}

  /// A free block that is large enough, made by mapping memory; none when the device has no
  /// more. What was mapped before it ran out stays as a free block. @throws DeviceError.
  [[nodiscard]] BlockRef obtain(const Request& request);
  /// Gives the memory of all pages inside a free block back to the device. @throws DeviceError.
  void remove_memory(BlockRef ref);
  [[nodiscard]] bool empty() const noexcept { return reservations_.empty(); }

 private:
  [[nodiscard]] BlockIndex find_room(Arena& arena, PoolKind kind, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t reservation_bytes() const;
  void reserve(Arena& arena, PoolKind kind);
  /// Gives memory to at least the first `bytes` of a block without; no_block when the
  /// device has none left.
  [[nodiscard]] BlockIndex add_memory(BlockRef ref, std::uint64_t bytes);
  void wait_for_users(const Arena& arena);
  [[nodiscard]] Reservation& reservation_of(std::uintptr_t address);

  SegmentParts parts_;
  std::map<std::uintptr_t, std::unique_ptr<Reservation>> reservations_;  ///< by address
};

}  // namespace gpucheck::runtime::detail
