#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// A range of memory that is reserved: a segment, or so much of an expandable one as has
/// memory without a gap.
struct ReservedRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t stream = 0;
  PoolId pool{0, 0};
  bool is_large = false;
  bool is_expandable = false;
};

/// What was reserved on a device right after one of its recorded events: the segments at the
/// end, and the events since then undone. In address order. Where a file contradicts itself
/// what remains of a range is what no event speaks against.
std::vector<ReservedRange> reserved_after(const Snapshot& snapshot, std::size_t device, std::uint32_t event);

}  // namespace gpucheck::replay
