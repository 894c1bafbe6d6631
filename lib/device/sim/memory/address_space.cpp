#include "device/sim/memory/address_space.hpp"

#include <algorithm>
#include <iterator>

namespace gpucheck::sim {

void AddressSpace::assign(Range all) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  const std::uintptr_t context = all.end() - context_bytes;
  gaps_.insert({all.begin, context - all.begin});
  // A fresh context leaves the end of two of its regions to others.
  add_region({context + 32 * mib, 32 * mib}, {context + 40 * mib, 24 * mib}, true);
  add_region({context, 32 * mib}, {context + 30 * mib, 2 * mib}, true);
}

void AddressSpace::add_region(Range range, Range hole, bool is_contexts) {
  regions_.push_front({range, {}, is_contexts});
  regions_.front().holes.insert(hole);
  by_address_.emplace(range.begin, regions_.begin());
}

std::optional<std::uintptr_t> AddressSpace::allocate(std::uint64_t bytes) {
  for (Region& region : regions_) {
    if (const auto begin = region.holes.allocate(bytes)) return begin;
  }
  const auto gap = allocate_gap((bytes + region_granularity - 1) / region_granularity * region_granularity);
  if (!gap) return std::nullopt;
  add_region(*gap, *gap, false);
  return regions_.front().holes.allocate(bytes);
}

std::optional<Range> AddressSpace::allocate_gap(std::uint64_t bytes) {
  const auto& gaps = gaps_.by_address();
  const auto gap =
      std::find_if(gaps.rbegin(), gaps.rend(), [bytes](const auto& entry) { return entry.second > bytes; });
  if (gap == gaps.rend()) return std::nullopt;
  const Range allocated{gap->first + gap->second - bytes, bytes};
  gaps_.remove(allocated);
  return allocated;
}

void AddressSpace::free(Range range) {
  while (range.bytes > 0) {
    const Range region = std::prev(by_address_.upper_bound(range.begin))->second->range;
    const Range part{range.begin, std::min(range.end(), region.end()) - range.begin};
    free_in_region(part);
    range = {part.end(), range.bytes - part.bytes};
  }
}

void AddressSpace::free_in_region(Range range) {
  const auto entry = std::prev(by_address_.upper_bound(range.begin));
  const auto region = entry->second;
  const Range merged = region->holes.insert(range);
  if (region->is_contexts || merged.bytes != region->range.bytes) return;
  gaps_.insert(region->range);
  by_address_.erase(entry);
  regions_.erase(region);
}

}  // namespace gpucheck::sim
