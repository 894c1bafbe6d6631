#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>

#include "device/sim/memory/free_ranges.hpp"

namespace gpucheck::sim {

/// Where allocations of whole 2 MiB pages lie, by the rules an H100's driver (580) was
/// seen to follow through 1,528 calls of cudaMalloc and cudaFree: addresses are cut into
/// regions of a multiple of 32 MiB, each new one at the upper end of the highest gap
/// that is larger than it; an allocation goes to the region made last that has a hole
/// for it, there to the smallest hole, the lowest among equals; an empty region is a gap
/// again. A caching allocator's choice among blocks of equal size follows addresses, so
/// without this its decisions would not be those it makes on a GPU. Not thread-safe.
class AddressSpace {
 public:
  /// Bytes that the context's own memory takes of the addresses given to `assign`.
  static constexpr std::uint64_t context_bytes = std::uint64_t{64} << 20;
  static constexpr std::uint64_t region_granularity = std::uint64_t{32} << 20;

  AddressSpace() = default;
  AddressSpace(AddressSpace&&) = default;
  AddressSpace& operator=(AddressSpace&&) = default;

  /// All addresses there are; begins and ends at a multiple of `region_granularity`.
  void assign(Range all);
  /// `bytes` is a multiple of the page size.
  std::optional<std::uintptr_t> allocate(std::uint64_t bytes);
  /// Frees what `allocate` returned, also several neighbours at once.
  void free(Range range);
  /// Calls `visit` for ranges that together are everything nobody holds.
  template <typename Visit>
  void for_each_free(Visit&& visit) const {
    for (const auto& [begin, bytes] : gaps_.by_address()) visit(Range{begin, bytes});
    for (const Region& region : regions_) {
      for (const auto& [begin, bytes] : region.holes.by_address()) visit(Range{begin, bytes});
    }
  }

 private:
  struct Region {
    Range range;
    FreeRanges holes;
    bool is_contexts = false;  ///< stays when it is empty
  };

  void free_in_region(Range range);
  std::optional<Range> allocate_gap(std::uint64_t bytes);
  void add_region(Range range, Range hole, bool is_contexts);

  std::list<Region> regions_;  ///< the one made last in front
  std::map<std::uintptr_t, std::list<Region>::iterator> by_address_;
  FreeRanges gaps_;
};

}  // namespace gpucheck::sim
