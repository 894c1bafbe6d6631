#pragma once

#include <string>

#include "observe/device_trace/recording.hpp"

namespace gpucheck::observe {

/// A trace in the Trace Event Format, which Perfetto and chrome://tracing show: the
/// threads' calls in one process, each device in one of its own with a track for each
/// stream, an arrow from each call to what it made a device do, and the memory allocated.
/// Times are microseconds from the first event. Slices of a track never overlap: what ran
/// side by side in one stream, the branches of a graph, gets further tracks.
[[nodiscard]] std::string chrome_trace(const DeviceTrace& trace);

}  // namespace gpucheck::observe
