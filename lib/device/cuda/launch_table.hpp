#pragma once

#include <cstddef>
#include <span>

namespace gpucheck::cuda {

/// Threads in a block of every kernel of the table.
inline constexpr unsigned threads_per_block = 256;

/// How to start one kernel with `cudaLaunchKernel`: its arguments are the functor,
/// by value, and the count (`std::size_t`).
struct LaunchEntry {
  const void* function;
  std::size_t functor_bytes;
};

/// One entry for each functor of `kernels::KernelList`, in its order.
std::span<const LaunchEntry> launch_table() noexcept;

}  // namespace gpucheck::cuda
