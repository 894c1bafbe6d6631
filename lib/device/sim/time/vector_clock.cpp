#include "device/sim/time/vector_clock.hpp"

#include <algorithm>

namespace gpucheck::sim {

namespace {

constexpr auto by_component = [](const Stamp& entry, Component component) { return entry.component < component; };

}  // namespace

void VectorClock::advance(Stamp stamp) {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), stamp.component, by_component);
  if (place == entries_.end() || place->component != stamp.component) {
    entries_.insert(place, stamp);
  } else {
    place->epoch = std::max(place->epoch, stamp.epoch);
  }
}

void VectorClock::join(const VectorClock& other) {
  if (&other == this || other.entries_.empty()) return;
  if (entries_.empty()) {
    entries_ = other.entries_;
    return;
  }
  // Most joins bring nothing new in the set of components: raise in place, and merge
  // only from the first entry that is missing here.
  auto mine = entries_.begin();
  for (auto theirs = other.entries_.begin(); theirs != other.entries_.end(); ++theirs) {
    while (mine != entries_.end() && mine->component < theirs->component) ++mine;
    if (mine == entries_.end() || mine->component != theirs->component) mine = entries_.insert(mine, *theirs);
    mine->epoch = std::max(mine->epoch, theirs->epoch);
  }
}

bool VectorClock::covers(Stamp stamp) const noexcept {
  const auto place = std::lower_bound(entries_.begin(), entries_.end(), stamp.component, by_component);
  return place != entries_.end() && place->component == stamp.component && place->epoch >= stamp.epoch;
}

}  // namespace gpucheck::sim
