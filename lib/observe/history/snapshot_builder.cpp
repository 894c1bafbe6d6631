#include "observe/history/snapshot_builder.hpp"

#include <algorithm>
#include <queue>

namespace gpucheck::observe::detail {

void SnapshotBuilder::add(const HistoryShard& shard) {
  shards_.push_back({shard.ring.records(), shard.origins()});
  block_contexts_.insert(shard.blocks.begin(), shard.blocks.end());
  segment_contexts_.insert(shard.segments.begin(), shard.segments.end());
}

StackNumber SnapshotBuilder::number_of(runtime::CallerNumber context, const Tables& tables, MemorySnapshot& snapshot) {
  if (context == runtime::unknown_caller) return 0;
  const auto [place, is_new] = numbers_.try_emplace(context, static_cast<StackNumber>(snapshot.stacks.size()));
  if (is_new) snapshot.stacks.push_back(tables.stacks.stack(context, tables.symbolizer));
  return place->second;
}

SnapshotSegment SnapshotBuilder::segment(runtime::SegmentInfo info, const Tables& tables, MemorySnapshot& snapshot) {
  SnapshotSegment segment;
  // A segment's stack goes with its first block's record, which the first split takes away.
  if (!info.was_split) segment.stack = number_of(context_of(segment_contexts_, info.address), tables, snapshot);
  for (const runtime::BlockInfo& block : info.blocks) {
    const bool is_active = block.state != runtime::BlockState::inactive;
    segment.block_stacks.push_back(is_active ? number_of(context_of(block_contexts_, block.address), tables, snapshot)
                                             : StackNumber{0});
  }
  segment.info = std::move(info);
  return segment;
}

/// Merges the shards by time; the order inside a shard stays, whatever the clocks of
/// different processors say.
void SnapshotBuilder::add_trace(const Tables& tables, MemorySnapshot& snapshot) {
  struct Head {
    std::uint64_t ticks;
    std::size_t shard;
    std::size_t position;
    bool operator<(const Head& other) const { return ticks > other.ticks; }  // the earliest on top
  };
  std::priority_queue<Head> heads;
  std::size_t total = 0;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    total += shards_[i].records.size();
    if (!shards_[i].records.empty()) heads.push({shards_[i].records.front().ticks, i, 0});
  }
  std::size_t to_drop = total > limit_ ? total - limit_ : 0;
  snapshot.trace.reserve(total - to_drop);
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    const ShardCopy& shard = shards_[head.shard];
    const std::size_t next = head.position + 1;
    if (next < shard.records.size()) {
      heads.push({std::max(head.ticks, shard.records[next].ticks), head.shard, next});
    }
    if (to_drop > 0) {
      --to_drop;
      continue;
    }
    const TraceRecord& record = shard.records[head.position];
    const Origin& origin = shard.origins[record.origin];
    const Labels& labels = tables.labels[origin.labels];
    snapshot.trace.push_back({record.action, record.address, record.size, origin.stream, origin.pool,
                              tables.clock.to_microseconds(head.ticks), number_of(record.context, tables, snapshot),
                              labels.compile_context, labels.user_metadata});
  }
}

MemorySnapshot SnapshotBuilder::build(const Tables& tables) {
  MemorySnapshot snapshot;
  snapshot.device_ordinal = device_ordinal_;
  snapshot.settings = tables.settings;
  for (runtime::SegmentInfo& info : segments_) {
    snapshot.segments.push_back(segment(std::move(info), tables, snapshot));
  }
  add_trace(tables, snapshot);
  for (AnnotationRecord& record : annotations_) {
    snapshot.annotations.push_back({std::move(record.name), record.stage, tables.clock.to_microseconds(record.ticks)});
  }
  return snapshot;
}

}  // namespace gpucheck::observe::detail
