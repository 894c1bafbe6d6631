#pragma once

#include <initializer_list>
#include <span>

#include "device/values/kernel.hpp"

namespace gpucheck::cuda {

/// Threads in a block of every kernel that is called for each index.
inline constexpr unsigned threads_per_block = 256;
/// The most threads that a block of a block kernel can have.
inline constexpr unsigned max_threads_per_block = 1024;

/// How to start one kernel with `cudaLaunchKernel`: its arguments are the functor, by value,
/// the count (`std::size_t`) and, of a block kernel, the bytes of shared memory (the same).
struct LaunchEntry {
  const device::Kernel* kernel;
  const void* function;
};

/// The kernels of a part, family by family.
using KernelFamilies = std::span<const std::span<const LaunchEntry>>;

/// Makes the parts' kernels those that can be launched. The first call counts, every later one does nothing, and what
/// was looked up before it would not be found. Any thread may call. Throws `std::bad_alloc`.
void join_kernels(std::initializer_list<KernelFamilies> parts);

/// Every family's kernels: of all parts that were joined.
KernelFamilies kernel_families() noexcept;

/// The device's code for a kernel; null when there is none.
const void* find_function(const device::Kernel* kernel) noexcept;
/// The kernel of a code; null when it is none of gpucheck's.
const device::Kernel* find_kernel(const void* function) noexcept;

}  // namespace gpucheck::cuda
