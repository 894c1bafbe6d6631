#pragma once

#include "replay/formats/trace/trace.hpp"

namespace gpucheck::replay {

/// Reads a trace's "ops" into its events, and checks that they make sense: what is used
/// exists then, streams are below `trace.stream_count`. @throws FileError naming the
/// operation that does not.
template <typename AnyCursor>
void read_operations(const AnyCursor& operations, Trace& trace);

}  // namespace gpucheck::replay
