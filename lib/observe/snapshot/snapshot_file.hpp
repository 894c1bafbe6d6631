#pragma once

#include <iosfwd>

#include "observe/snapshot/memory_snapshot.hpp"

/// Snapshot files with the structure of PyTorch 2.11's `torch.cuda.memory._snapshot()`:
/// tools that read those read these; what `name_objects` adds stands under a key of its own.
/// Both are written piece by piece; errors are left in
/// the stream's state.
namespace gpucheck::observe {

void write_json(const MemorySnapshot& snapshot, std::ostream& stream);

/// For pytorch.org/memory_viz, `torch.cuda._memory_viz` and Python's `pickle`.
void write_pickle(const MemorySnapshot& snapshot, std::ostream& stream);

}  // namespace gpucheck::observe
