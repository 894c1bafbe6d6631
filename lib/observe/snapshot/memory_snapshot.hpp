#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "observe/stacks/frame.hpp"
#include "runtime/allocator/memory_recorder.hpp"
#include "runtime/allocator/snapshot.hpp"
#include "runtime/settings/settings.hpp"

namespace gpucheck::observe {

/// Position in MemorySnapshot::stacks; 0 is the empty one: no stack was kept.
using StackNumber = std::uint32_t;

/// One event of the allocator.
struct TraceEntry {
  runtime::MemoryAction action = runtime::MemoryAction::alloc;
  std::uintptr_t address = 0;  ///< for oom: bytes free on the device
  std::uint64_t size = 0;
  device::Stream stream;
  runtime::PoolId pool;
  std::int64_t time_us = 0;  ///< since 1970 UTC
  StackNumber stack = 0;
  std::string compile_context;
  std::string user_metadata;
};

enum class AnnotationStage : std::uint8_t { start, end };

/// The start or end of a scope that the user named.
struct Annotation {
  std::string name;
  AnnotationStage stage = AnnotationStage::start;
  std::int64_t time_us = 0;  ///< since 1970 UTC
};

struct SnapshotSegment {
  runtime::SegmentInfo info;
  StackNumber stack = 0;                  ///< of the call that obtained it
  std::vector<StackNumber> block_stacks;  ///< of the calls that allocated info.blocks
};

/// A stream that blocks were allocated on, and what it is known by besides its handle.
struct NamedStream {
  device::Stream stream;
  std::int64_t id = 0;  ///< StreamPool::stream_id
  std::string name;     ///< StreamPool::name
};

/// A private pool and who uses it.
struct PoolUses {
  runtime::PoolId pool;
  int use_count = 0;                  ///< 0: released
  std::vector<std::uint64_t> graphs;  ///< those among the users that are graphs: Graph::number
};

/// What an allocator held at one moment, and what it had done.
struct MemorySnapshot {
  int device_ordinal = 0;
  std::vector<SnapshotSegment> segments;  ///< in address order
  std::vector<TraceEntry> trace;          ///< the oldest first
  std::vector<Annotation> annotations;    ///< the oldest first
  runtime::AllocatorSettings settings;
  std::vector<NamedStream> streams;  ///< by id; see name_objects
  std::vector<PoolUses> pools;       ///< by pool; see name_objects
  std::vector<Stack> stacks{Stack{}};
};

}  // namespace gpucheck::observe
