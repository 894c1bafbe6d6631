#pragma once

#include <utility>
#include <vector>

#include "replay/analysis/conversion.hpp"

namespace gpucheck::replay {

inline constexpr Event empty_cache{0, 0, 0, Action::empty_cache, false};

/// What these events of a snapshot, which has these segments at its end, become.
inline Conversion convert_events(std::vector<SnapshotEvent> events, std::vector<SnapshotSegment> segments = {}) {
  Snapshot snapshot;
  snapshot.device_traces = {std::move(events)};
  snapshot.segments = std::move(segments);
  return convert(snapshot, 0);
}

}  // namespace gpucheck::replay
