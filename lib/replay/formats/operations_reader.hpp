#pragma once

#include "replay/formats/trace.hpp"

namespace gpucheck::replay {

/// Reads a trace's "ops" into its events, and checks that they make sense: every id
/// allocated once, freed and recorded only while it lives, streams below
/// `trace.stream_count`. @throws FileError naming the operation that does not.
template <typename AnyCursor>
void read_operations(const AnyCursor& operations, Trace& trace);

}  // namespace gpucheck::replay
