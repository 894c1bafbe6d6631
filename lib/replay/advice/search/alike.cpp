#include "replay/advice/search/alike.hpp"

#include <algorithm>
#include <unordered_set>

#include "runtime/allocator/rounding.hpp"

namespace gpucheck::replay {

using runtime::AllocatorSettings;
using runtime::round_size;

std::vector<std::uint64_t> sizes_asked_for(const Trace& trace) {
  std::unordered_set<std::uint64_t> different;
  std::uint64_t last = 0;  // programs ask for one size several times in a row
  for (const Event& event : trace.events) {
    const bool asks = event.action == Action::allocate || event.action == Action::try_allocate;
    if (asks && event.size != 0 && event.size != last) different.insert(last = event.size);
  }
  std::vector<std::uint64_t> sizes(different.begin(), different.end());
  std::ranges::sort(sizes);
  return sizes;
}

std::uint64_t Likeness::rounding_hash(const AllocatorSettings& settings) const {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, over whole numbers
  for (const std::uint64_t size : sizes_) hash = (hash ^ round_size(size, settings)) * 1099511628211ULL;
  return hash;
}

bool Likeness::rounds_alike(const AllocatorSettings& a, const AllocatorSettings& b) const {
  return std::ranges::all_of(sizes_, [&](std::uint64_t size) { return round_size(size, a) == round_size(size, b); });
}

/// Plain segments of that size are made for blocks of 1 to 10 MiB; of an expandable one the
/// pages for all blocks above 1 MiB.
bool Likeness::uses_large_segments(const AllocatorSettings& settings) const {
  return std::ranges::any_of(sizes_, [&](std::uint64_t size) {
    const std::uint64_t rounded = round_size(size, settings);
    return rounded > runtime::small_size && (rounded < runtime::min_large_segment || settings.expandable_segments);
  });
}

/// No block of plain segments is larger than the largest of them. Expandable ones grow.
bool Likeness::has_effective_split_limit(const AllocatorSettings& settings) const {
  if (settings.max_split_size == AllocatorSettings::unlimited) return false;
  if (settings.expandable_segments) return true;
  return std::ranges::any_of(sizes_, [&](std::uint64_t size) {
    return runtime::segment_size_for(round_size(size, settings), settings) >= settings.max_split_size;
  });
}

/// Two limits do the same where each size asked for is, with the whole segment that is made
/// for it, below both, or above both by itself: then no block is ever between them.
bool Likeness::splits_alike(const AllocatorSettings& a, const AllocatorSettings& b) const {
  const bool a_limits = has_effective_split_limit(a);
  const bool b_limits = has_effective_split_limit(b);
  if (!a_limits || !b_limits) return a_limits == b_limits;
  if (a.max_split_size == b.max_split_size) return true;
  const auto [low, high] = std::minmax(a.max_split_size, b.max_split_size);
  if (a.expandable_segments) return false;
  return std::ranges::none_of(sizes_, [&, lowest = low, highest = high](std::uint64_t size) {
    const std::uint64_t rounded = round_size(size, a);
    const std::uint64_t segment = runtime::segment_size_for(rounded, a);
    return segment >= lowest && rounded < highest;
  });
}

/// How much larger a block may be that serves without being split: asked for only above
/// the split limit.
bool Likeness::keeps_alike(const AllocatorSettings& a, const AllocatorSettings& b) const {
  if (a.max_non_split_rounding == b.max_non_split_rounding || !has_effective_split_limit(a)) return true;
  return std::ranges::none_of(sizes_, [&](std::uint64_t size) { return round_size(size, a) >= a.max_split_size; });
}

bool Likeness::plays_alike(const AllocatorSettings& a, const AllocatorSettings& b) const {
  const bool same_kind = a.expandable_segments == b.expandable_segments && a.backend == b.backend &&
                         a.graph_capture_record_stream_reuse == b.graph_capture_record_stream_reuse &&
                         a.release_lock_on_device_allocation == b.release_lock_on_device_allocation;
  // What is collected is blocks that are not part of an expandable segment.
  const bool same_collection =
      a.expandable_segments || a.garbage_collection_threshold == b.garbage_collection_threshold;
  if (!same_kind || !same_collection || !rounds_alike(a, b)) return false;
  if (a.large_segment_size != b.large_segment_size && uses_large_segments(a)) return false;
  return splits_alike(a, b) && keeps_alike(a, b);
}

std::optional<std::string> DifferentSettings::add(const std::string& settings) {
  runtime::AllocatorSettings parsed = runtime::parse_settings(settings);
  const std::uint64_t hash = likeness_.rounding_hash(parsed);
  const auto [first, last] = known_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (likeness_.plays_alike(known->second, parsed)) return known->second.text;
  }
  known_.emplace(hash, std::move(parsed));
  return std::nullopt;
}

}  // namespace gpucheck::replay
