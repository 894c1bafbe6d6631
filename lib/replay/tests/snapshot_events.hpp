#pragma once

#include <cstdint>

#include "replay/formats/snapshot/snapshot.hpp"

namespace gpucheck::replay {

/// An event of a snapshot, without a time, a pool and a stack.
inline SnapshotEvent event(SnapshotAction action, std::uint64_t address, std::uint64_t size, std::uint64_t stream = 0) {
  return {.address = address, .size = size, .stream = stream, .action = action};
}

}  // namespace gpucheck::replay
