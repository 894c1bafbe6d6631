#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "observe/history/history_shard.hpp"
#include "observe/history/stack_table.hpp"
#include "observe/history/tick_clock.hpp"
#include "observe/snapshot/memory_snapshot.hpp"

namespace gpucheck::observe::detail {

/// What is attached to all events of a time.
struct Labels {
  std::string compile_context;
  std::string user_metadata;
  bool operator==(const Labels&) const = default;
};

/// An Annotation, its time not yet converted.
struct AnnotationRecord {
  std::string name;
  AnnotationStage stage = AnnotationStage::start;
  std::uint64_t ticks = 0;
};

/// Makes a snapshot in two steps: what must be of one moment is copied while the
/// allocator stands still; everything slow comes after.
class SnapshotBuilder {
 public:
  SnapshotBuilder(int device_ordinal, std::size_t limit) : device_ordinal_(device_ordinal), limit_(limit) {}

  void add(const HistoryShard& shard);
  void set_segments(std::vector<runtime::SegmentInfo> segments) { segments_ = std::move(segments); }
  void set_annotations(std::vector<AnnotationRecord> annotations) { annotations_ = std::move(annotations); }

  struct Tables {
    runtime::AllocatorSettings settings;
    TickClock clock;
    std::vector<Labels> labels;
    const StackTable& stacks;
    Symbolizer& symbolizer;
  };
  [[nodiscard]] MemorySnapshot build(const Tables& tables);

 private:
  struct ShardCopy {
    std::vector<TraceRecord> records;
    std::vector<Origin> origins;
  };
  /// The number of a stack in the snapshot; added to it when new.
  StackNumber number_of(runtime::CallerNumber context, const Tables& tables, MemorySnapshot& snapshot);
  [[nodiscard]] SnapshotSegment segment(runtime::SegmentInfo info, const Tables& tables, MemorySnapshot& snapshot);
  void add_trace(const Tables& tables, MemorySnapshot& snapshot);

  int device_ordinal_;
  std::size_t limit_;
  std::vector<ShardCopy> shards_;
  HistoryShard::Contexts block_contexts_;
  HistoryShard::Contexts segment_contexts_;
  std::vector<runtime::SegmentInfo> segments_;
  std::vector<AnnotationRecord> annotations_;
  std::unordered_map<runtime::CallerNumber, StackNumber> numbers_;
};

}  // namespace gpucheck::observe::detail
