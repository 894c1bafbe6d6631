#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "replay/formats/snapshot/stacks.hpp"

namespace gpucheck::replay {

/// What a PyTorch memory snapshot says. Sizes are bytes, addresses and
/// stream handles as recorded.

/// The names are those in the file.
enum class SnapshotAction : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  out_of_memory,  ///< "oom"
  snapshot,
  other,  ///< any other word
};

using PoolId = std::pair<std::uint64_t, std::uint64_t>;  ///< (0, 0) is the default pool

struct SnapshotEvent {
  std::uint64_t address = 0;  ///< for out_of_memory: free bytes of the device
  std::uint64_t size = 0;     ///< as the caller asked; for segments the segment's; for out_of_memory rounded
  std::uint64_t stream = 0;
  std::int64_t time_us = 0;
  PoolId pool{0, 0};
  SnapshotAction action = SnapshotAction::other;
  bool in_empty_cache = false;  ///< the recorded stack names empty_cache (segment_free, segment_unmap)
  StackId stack = no_stack;
};

enum class SnapshotBlockState : std::uint8_t { inactive, active_allocated, active_pending_free };

struct SnapshotBlock {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint64_t requested_size = 0;  ///< of its present or last use
  SnapshotBlockState state = SnapshotBlockState::inactive;
  StackId stack = no_stack;  ///< of the call that allocated it
};

struct SnapshotSegment {
  std::uint64_t address = 0;
  std::uint64_t total_size = 0;
  std::uint64_t stream = 0;
  std::uint64_t device = 0;
  PoolId pool{0, 0};
  bool is_large = false;
  bool is_expandable = false;
  std::vector<SnapshotBlock> blocks;  ///< in address order; their sizes add up to total_size
};

/// The settings in force when the snapshot was taken; absent where the file has none.
struct SnapshotSettings {
  std::optional<std::string> text;  ///< PYTORCH_CUDA_ALLOC_CONF or PYTORCH_ALLOC_CONF
  std::optional<std::int64_t> max_split_size;
  std::optional<double> garbage_collection_threshold;
  std::optional<bool> expandable_segments;
  /// Size from which they hold, as the file writes it ("1" is 1 MiB), and divisions.
  std::vector<std::pair<std::string, std::uint64_t>> roundup_power2_divisions;
};

/// What gpucheck's own snapshots tell besides; PyTorch's have none of it.
struct SnapshotStream {
  std::uint64_t device = 0;
  std::uint64_t handle = 0;
  std::int64_t id = 0;
  std::string name;
};
struct SnapshotPool {
  std::uint64_t device = 0;
  PoolId pool{0, 0};
  std::uint64_t use_count = 0;
  std::vector<std::uint64_t> graphs;  ///< by number: those that use it
};

struct Snapshot {
  std::vector<SnapshotSegment> segments;
  std::vector<std::vector<SnapshotEvent>> device_traces;  ///< by device index, oldest event first
  SnapshotSettings settings;
  std::vector<SnapshotStream> streams;
  std::vector<SnapshotPool> pools;
  StackTable stacks;  ///< empty where they were skipped
};

/// A replay needs no stacks, and they are most of a file.
enum class StackReading { skip, keep };

/// A dictionary with "segments", or a bare list of segments. @throws FileError where the
/// root is not a snapshot.
template <typename AnyCursor>
Snapshot read_snapshot(const AnyCursor& root, StackReading reading = StackReading::skip);

}  // namespace gpucheck::replay
