#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "device/sim/memory/free_ranges.hpp"
#include "device/values/shared_bytes.hpp"

namespace gpucheck::sim {

/// Whether each run of an access lies in one piece of memory, whatever lies between its runs.
/// `piece_after(address)` is the first piece that ends after the address, nothing if there is
/// none. Looks at pieces, not at runs: a run goes wrong if it begins between two pieces, or in one
/// so late that it reaches beyond. What is too hard to tell counts as wrong.
template <typename PieceAfter>
bool runs_lie_in_pieces(const device::MemoryAccess& access, const PieceAfter& piece_after) {
  const auto extent = device::extent_of(access);
  if (!extent) return false;
  device::MemoryAccess starts = access;
  starts.bytes = 1;
  const std::uintptr_t end = extent->end - access.bytes + 1;  // of where runs begin
  const auto none_begin_in = [&](std::uintptr_t first, std::uintptr_t behind) {
    behind = std::min(behind, end);
    return first >= behind || !device::share_bytes(starts, device::access_to({first, behind}), true);
  };
  for (std::uintptr_t at = extent->begin; at < end;) {
    const std::optional<Range> piece = piece_after(at);
    if (!piece) return none_begin_in(at, end);
    if (!none_begin_in(at, piece->begin)) return false;
    const std::uintptr_t late = piece->bytes < access.bytes ? piece->begin : piece->end() - access.bytes + 1;
    if (!none_begin_in(std::max(at, late), piece->end())) return false;
    at = piece->end();
  }
  return true;
}

}  // namespace gpucheck::sim
