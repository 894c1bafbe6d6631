#pragma once

#include "replay/cursor.hpp"
#include "replay/trace.hpp"

namespace gpucheck::replay {

/// Reads a trace's "ops" into its events, and checks that they make sense: every id
/// allocated once, freed and recorded only while it lives, streams below
/// `trace.stream_count`. @throws FileError naming the operation that does not.
void read_operations(const Cursor& operations, Trace& trace);

}  // namespace gpucheck::replay
