#pragma once

#include "observe/snapshot/memory_snapshot.hpp"
#include "runtime/runtime.hpp"

namespace gpucheck::observe {

/// Adds to a snapshot of the runtime's allocator what its streams are called and whose its
/// private pools are, as they are now: those that a segment or an event names, and pools that
/// a graph holds without any memory in them. Thread-safe. @throws UnsupportedError when another
/// allocator than the caching one was chosen.
void name_objects(MemorySnapshot& snapshot, runtime::Runtime& runtime);

}  // namespace gpucheck::observe
