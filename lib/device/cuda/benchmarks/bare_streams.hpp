#pragma once

#include "device/values/handles.hpp"

/// CUDA's own calls, with nothing around them, for benchmarks to compare with. The thread's
/// device must be current. False when CUDA returns an error.
namespace gpucheck::cuda::benchmarks {

bool record_bare(device::Event event, device::Stream stream) noexcept;
bool wait_bare(device::Stream stream, device::Event event) noexcept;

}  // namespace gpucheck::cuda::benchmarks
