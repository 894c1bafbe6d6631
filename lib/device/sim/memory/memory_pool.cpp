#include "device/sim/memory/memory_pool.hpp"

#include <algorithm>

namespace gpucheck::sim {

namespace {

/// The pool grows by multiples of this, as CUDA's default pool does on an H100.
constexpr std::uint64_t chunk_bytes = std::uint64_t{32} << 20;

}  // namespace

template <typename Predicate>
std::optional<MemoryPool::Block> MemoryPool::reuse(std::uint64_t bytes, Predicate usable) {
  auto best = pending_.end();
  for (auto entry = pending_.begin(); entry != pending_.end(); ++entry) {
    if (entry->range.bytes < bytes || !usable(*entry)) continue;
    if (best == pending_.end() || entry->range.bytes < best->range.bytes) best = entry;
  }
  if (best == pending_.end()) return std::nullopt;
  const Block block{best->range.begin, bytes, best->finish_ns, best->stamp};
  best->range = {best->range.begin + bytes, best->range.bytes - bytes};
  if (best->range.bytes == 0) pending_.erase(best);
  return block;
}

bool MemoryPool::grow(std::uint64_t bytes) {
  const std::uint64_t chunk = round_up(bytes, chunk_bytes);
  const auto begin = memory_.allocate_pages(chunk);
  if (!begin) return false;
  usage_.reserved_bytes += chunk;
  usage_.reserved_peak_bytes = std::max(usage_.reserved_peak_bytes, usage_.reserved_bytes);
  chunks_.push_back({*begin, chunk});
  free_.insert(chunks_.back());
  return true;
}

std::optional<MemoryPool::Block> MemoryPool::allocate(std::uint64_t bytes, const VectorClock& knows) {
  if (bytes > memory_.total_bytes()) return std::nullopt;
  const auto block = find(round_up(bytes, allocation_alignment), knows);
  if (!block) return std::nullopt;
  usage_.used_bytes += bytes;
  usage_.used_peak_bytes = std::max(usage_.used_peak_bytes, usage_.used_bytes);
  return block;
}

std::optional<MemoryPool::Block> MemoryPool::find(std::uint64_t rounded, const VectorClock& knows) {
  if (auto block = reuse(rounded, [&](const Pending& entry) { return knows.covers(entry.stamp); })) return block;
  auto begin = free_.allocate(rounded);
  if (!begin && !grow(rounded)) {
    trim(0);  // unused chunks that are too small
    static_cast<void>(grow(rounded));
  }
  if (!begin) begin = free_.allocate(rounded);
  if (begin) return Block{.begin = *begin, .bytes = rounded};
  // The last resort: make the stream wait for a free that is still to come.
  return reuse(rounded, [](const Pending&) { return true; });
}

void MemoryPool::free(Range range, std::uint64_t requested_bytes, std::uint64_t finish_ns, Stamp stamp) {
  usage_.used_bytes -= requested_bytes;
  pending_.push_back({range, finish_ns, stamp});
}

void MemoryPool::collect(std::uint64_t reached_ns) {
  std::erase_if(pending_, [&](const Pending& entry) {
    if (entry.finish_ns > reached_ns) return false;
    free_.insert(entry.range);
    return true;
  });
}

void MemoryPool::trim(std::uint64_t bytes_to_keep) {
  std::erase_if(chunks_, [&](Range chunk) {
    if (usage_.reserved_bytes <= bytes_to_keep) return false;
    const auto next = free_.by_address().upper_bound(chunk.begin);
    if (next == free_.by_address().begin()) return false;
    const auto& [begin, bytes] = *std::prev(next);
    if (begin + bytes < chunk.end()) return false;
    free_.remove(chunk);
    memory_.free_pages(chunk);
    usage_.reserved_bytes -= chunk.bytes;
    return true;
  });
}

void MemoryPool::reset_peaks() noexcept {
  usage_.used_peak_bytes = usage_.used_bytes;
  usage_.reserved_peak_bytes = usage_.reserved_bytes;
}

}  // namespace gpucheck::sim
