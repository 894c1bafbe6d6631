#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "replay/formats/snapshot/snapshot.hpp"
#include "replay/formats/trace/trace.hpp"
#include "replay/settings/recorded_settings.hpp"

namespace gpucheck::replay {

/// What the conversion of a snapshot found, had to assume, or could not carry over.
struct ConversionReport {
  std::uint64_t recorded_events = 0;
  // Blocks in use before the first event: found because an event frees them or because
  // they are still in use at the end. They are allocated first, in address order; before
  // the others those of the other kind of segments than was in force at the first event. What
  // was cached besides them at that time is not recorded, so it is not rebuilt.
  std::uint64_t initial_blocks = 0;
  std::uint64_t initial_bytes = 0;
  std::uint64_t initial_reserved_bytes = 0;  ///< recorded: what was reserved before the first event
  /// Frees that completed later than they were requested, because other streams used
  /// the block: replayed when they completed.
  std::uint64_t deferred_frees = 0;
  std::uint64_t empty_caches = 0;         ///< releases of segments taken for a call of empty_cache
  std::uint64_t allocator_releases = 0;   ///< taken for the allocator's own (retry, garbage collection): not replayed
  std::uint64_t out_of_memory = 0;        ///< allocations that failed when recorded
  std::uint64_t private_pool_events = 0;  ///< of graphs and memory pools
  std::uint64_t private_pools = 0;        ///< of the trace that these are replayed in; 0: in the default pools
  std::uint64_t ignored_events = 0;       ///< actions without a meaning for a replay
  /// Events and blocks that contradict each other, for example a free of what is free:
  /// left out. Some actions were not recorded, or the file was changed.
  std::uint64_t contradictions = 0;
  std::uint64_t setting_changes = 0;   ///< of the trace
  bool settings_are_recorded = false;  ///< else the defaults are taken for them, but for what the segments tell
  RecordedSettings settings;
  // What the recorded program reached, from its own events.
  std::uint64_t recorded_peak_reserved_bytes = 0;
  std::uint64_t recorded_peak_active_bytes = 0;          ///< sizes as asked for, until the free completed
  std::optional<std::uint64_t> recorded_capacity_bytes;  ///< as in RecordedUsage
  bool recorded_capacity_is_own_limit = false;
};

struct Conversion {
  /// Stands for no recorded event: the step is an allocation from before the first.
  static constexpr std::uint32_t no_event = UINT32_MAX;

  Trace trace;
  std::vector<std::uint32_t> recorded_events;  ///< by step: which event of the device, or `no_event`
  /// By step: where the event was recorded; of an allocation from before the first, where
  /// it was made, as far as the file says. All `no_stack` where stacks were not read.
  std::vector<StackId> stacks;
  std::vector<std::uint64_t> stream_handles;  ///< by stream index of the trace; the first is 0
  ConversionReport report;
};

/// What becomes of private pools.
enum class PrivatePools {
  kept,    ///< each is one in the trace
  merged,  ///< all is in the default pools, for allocators that have no others
};

/// What becomes of settings that changed during the recording.
enum class SettingChanges {
  played,    ///< the trace sets them where they took effect
  left_out,  ///< for plays under settings that hold from beginning to end, and for allocators that have none
};

/// Makes a replayable trace out of the events recorded on one device.
/// @throws EnvironmentError when the snapshot has no such device or no events of it, or
/// uses more streams than a trace can tell apart (65,535).
///
/// An allocation in a private pool is made between a begin and an end of its use: as in a
/// capture, or under use_mem_pool, no retry then releases the cache. The pool is deleted
/// where segments of it are released, which a pool in use never does.
Conversion convert(const Snapshot& snapshot, std::size_t device, PrivatePools pools = PrivatePools::kept,
                   SettingChanges changes = SettingChanges::played);

}  // namespace gpucheck::replay
