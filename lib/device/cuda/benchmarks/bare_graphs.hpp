#pragma once

#include <cstddef>

#include "device/values/handles.hpp"
#include "device/values/kernel.hpp"

/// Graphs by the vendor's calls alone: what the runtime's are measured against.
namespace gpucheck::cuda::benchmarks {

/// Captures `nodes` launches of an index kernel of one invocation on `stream` and makes
/// the graph executable. @throws Error.
device::GraphExec capture_bare(const device::KernelLaunch& launch, std::size_t nodes, device::Stream stream);
/// @throws Error.
void launch_bare(device::GraphExec executable, device::Stream stream);
/// @throws Error.
void destroy_bare(device::GraphExec executable);

}  // namespace gpucheck::cuda::benchmarks
