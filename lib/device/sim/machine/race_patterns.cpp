#include <algorithm>
#include <iterator>
#include <utility>

#include "device/sim/machine/race_detector.hpp"

// What the race detector does with accesses that have gaps. They do not cut cells: each is kept
// whole, and compared by arithmetic with what no order is known for. All else, what was overwritten
// first of all, is looked at only where there is a race.
namespace gpucheck::sim {

using device::MemoryAccess;
using device::Stretch;

namespace {

/// So many parts of an access are enough to find one run, or to take a stretch from it, unless it
/// was made to be hard.
constexpr std::size_t enough_parts = 1'000;

bool writes(const MemoryAccess& access) noexcept { return access.mode != device::AccessMode::read; }

bool overlap(Stretch a, Stretch b) noexcept { return a.begin < b.end && b.begin < a.end; }

bool is_same_memory(const MemoryAccess& a, const MemoryAccess& b) noexcept {
  return a.address == b.address && a.bytes == b.bytes &&
         std::equal(a.repetitions.begin(), a.repetitions.end(), b.repetitions.begin(), b.repetitions.end());
}

/// Takes `gone` from stretches.
void take(std::vector<Stretch>& stretches, Stretch gone) {
  std::vector<Stretch> left;
  for (const Stretch& stretch : stretches) {
    if (!overlap(stretch, gone)) {
      left.push_back(stretch);
      continue;
    }
    if (stretch.begin < gone.begin) left.push_back({stretch.begin, gone.begin});
    if (gone.end < stretch.end) left.push_back({gone.end, stretch.end});
  }
  stretches = std::move(left);
}

}  // namespace

/// The first cell that reaches beyond the address.
RaceDetector::Cells::const_iterator RaceDetector::first_cell(std::uintptr_t address) const {
  const auto next = cells_.upper_bound(address);
  if (next == cells_.begin()) return next;
  const auto before = std::prev(next);
  return before->second.end > address ? before : next;
}

void RaceDetector::check_cells(const Actor& actor, const VectorClock& knows, const MemoryAccess& access,
                               Stretch extent) {
  const auto unordered = [&](const Actor& other) {
    return other.sequence != 0 && other.sequence != actor.sequence && !knows.covers(other.stamp);
  };
  for (auto cell = first_cell(extent.begin); cell != cells_.end() && cell->first < extent.end; ++cell) {
    const MemoryAccess memory = device::access_to({cell->first, cell->second.end});
    if (unordered(cell->second.writer)) dispute_shared(cell->second.writer, actor, memory, access);
    if (!writes(access)) continue;
    for (const Actor& reader : cell->second.readers) {
      if (unordered(reader)) dispute_shared(reader, actor, memory, access);
    }
  }
}

void RaceDetector::check_patterns(const Actor& actor, const VectorClock& knows, const MemoryAccess& access,
                                  Stretch extent) {
  for (const Pattern& kept : patterns_) {
    if (!overlap(kept.extent, extent)) continue;
    if (!writes(access) && !writes(kept.access)) continue;
    if (kept.actor.sequence == actor.sequence || knows.covers(kept.actor.stamp)) continue;
    dispute_shared(kept.actor, actor, kept.access, access);
  }
}

/// In place of what it makes superfluous: what it overwrites, and earlier reads of the same
/// memory that it comes after, as whoever comes after it does too.
void RaceDetector::keep(const Actor& actor, const VectorClock& knows, const MemoryAccess& access, Stretch extent) {
  std::erase_if(patterns_, [&](const Pattern& kept) {
    if (!is_same_memory(kept.access, access)) return false;
    if (writes(access)) return true;
    return !writes(kept.access) && (kept.actor.sequence == actor.sequence || knows.covers(kept.actor.stamp));
  });
  if (patterns_.size() >= most_patterns) patterns_.erase(patterns_.begin(), patterns_.begin() + most_patterns / 4);
  patterns_.push_back({extent, access, actor});
}

void RaceDetector::forget_patterns(Stretch stretch) {
  if (std::ranges::none_of(patterns_, [&](const Pattern& kept) { return overlap(kept.extent, stretch); })) return;
  std::vector<Pattern> left;
  for (const Pattern& kept : patterns_) {
    if (!overlap(kept.extent, stretch)) {
      left.push_back(kept);
    } else if (const auto parts = device::parts_outside(kept.access, stretch, enough_parts)) {
      for (const MemoryAccess& part : *parts) left.push_back({*device::extent_of(part), part, kept.actor});
    }
  }
  if (left.size() > most_patterns) left.erase(left.begin(), left.end() - most_patterns);
  patterns_ = std::move(left);
}

void RaceDetector::forget_known(const VectorClock& clock) {
  if (patterns_.size() < most_patterns / 2) return;
  std::erase_if(patterns_, [&](const Pattern& kept) { return clock.covers(kept.actor.stamp); });
}

/// Whether all of it was written without gaps by operations after this one.
bool RaceDetector::is_overwritten(Stretch stretch, std::uint64_t since) const {
  for (auto cell = first_cell(stretch.begin); cell != cells_.end() && cell->first <= stretch.begin; ++cell) {
    if (cell->second.writer.sequence <= since) return false;
    stretch.begin = cell->second.end;
    if (stretch.begin >= stretch.end) return true;
  }
  return false;
}

/// Which parts of it no operation after this one has written, as far as can be looked.
std::vector<Stretch> RaceDetector::not_overwritten(Stretch stretch, std::uint64_t since) {
  std::vector<Stretch> left{stretch};
  for (auto cell = first_cell(stretch.begin); cell != cells_.end() && cell->first < stretch.end; ++cell) {
    if (cell->second.writer.sequence > since) take(left, {cell->first, cell->second.end});
  }
  for (const Pattern& later : patterns_) {
    if (!writes(later.access) || later.actor.sequence <= since || !overlap(later.extent, stretch)) continue;
    device::for_each_shared(later.access, device::access_to(stretch), parts_left_, [&](Stretch gone) {
      take(left, gone);
      return !left.empty();
    });
  }
  return left;
}

/// Reports nothing where all that both touch was overwritten since: that was reported then, and
/// would be again with everything that comes after who overwrote it.
void RaceDetector::dispute_shared(const Actor& other, const Actor& actor, const MemoryAccess& theirs,
                                  const MemoryAccess& access) {
  if (reported_.contains({other.sequence, actor.sequence}) || !device::share_bytes(theirs, access, false)) return;
  const auto rewrites = [&](const Pattern& later) {
    return writes(later.access) && later.actor.sequence > other.sequence && is_same_memory(later.access, access);
  };
  if (std::ranges::any_of(patterns_, rewrites)) return;
  const Stretch a = *device::extent_of(theirs);
  const Stretch b = *device::extent_of(access);
  if (is_overwritten({std::max(a.begin, b.begin), std::min(a.end, b.end)}, other.sequence)) return;
  std::vector<Stretch> left;
  Stretch first;
  std::size_t parts = std::max(parts_left_, enough_parts);
  const bool all_seen = device::for_each_shared(access, theirs, parts, [&](Stretch shared) {
    if (first.end == 0) first = shared;
    left = not_overwritten(shared, other.sequence);
    return left.empty();
  });
  parts_left_ = std::min(parts_left_, parts);
  if (left.empty() && !all_seen && first.end != 0) left.push_back(first);
  if (!left.empty()) dispute(other, left.front().begin, left.front().end);
}

void RaceDetector::dispute_cell(const Actor& other, std::uintptr_t begin, std::uintptr_t end) {
  if (patterns_.empty()) return dispute(other, begin, end);
  const std::vector<Stretch> left = not_overwritten({begin, end}, other.sequence);
  if (!left.empty()) dispute(other, left.front().begin, left.front().end);
}

}  // namespace gpucheck::sim
