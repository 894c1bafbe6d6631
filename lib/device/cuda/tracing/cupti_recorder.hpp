#pragma once

#include "device/records/activity.hpp"

namespace gpucheck::cuda {

/// What the GPUs do, from NVIDIA's profiling library (CUPTI), loaded on first use; the
/// problem says where it was looked for when there is none. A process has one profiler at
/// a time: under nsys or ncu CUPTI may refuse.
device::ActivityRecording record_with_cupti();

}  // namespace gpucheck::cuda
