#pragma once

#include <array>
#include <type_traits>

#include "device/cuda/kernels/launch_table.hpp"
#include "device/kernels/support/family.hpp"

/// How the functors of a family become kernels: for the unit of each family.
namespace gpucheck::cuda {

/// Each thread takes every n-th invocation, n being the threads in the grid, so any
/// grid gives the right answer.
template <typename Functor>
__global__ void __launch_bounds__(threads_per_block) run_indices(Functor functor, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * threads_per_block;
  for (std::size_t index = std::size_t{blockIdx.x} * threads_per_block + threadIdx.x; index < count; index += stride) {
    functor(device::kernels::Thread{{}, index, count});
  }
}

extern __shared__ __align__(16) unsigned char shared_memory_of_block[];

/// Each block of the grid takes every n-th block of the launch. All its threads, also those
/// beyond the count, meet at every barrier; the one after the last phase keeps the shared
/// memory for this block until all are done with it.
template <typename Functor>
__global__ void __launch_bounds__(max_threads_per_block)
    run_blocks(Functor functor, std::size_t count, std::size_t shared_bytes) {
  const std::size_t blocks = count / blockDim.x + (count % blockDim.x != 0 ? 1 : 0);
  for (std::size_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const std::size_t left = count - block * blockDim.x;
    const unsigned threads = left < blockDim.x ? static_cast<unsigned>(left) : blockDim.x;
    const device::kernels::BlockThread thread{
        {}, block, blocks, threadIdx.x, threads, blockDim.x, shared_memory_of_block, shared_bytes};
#pragma unroll
    for (unsigned phase = 0; phase < Functor::phases; ++phase) {
      if (threadIdx.x < threads) functor(thread, phase);
      __syncthreads();
    }
  }
}

template <typename Functor>
LaunchEntry entry_of() noexcept {
  const device::Kernel* kernel = &device::kernels::kernel<Functor>;
  if constexpr (device::kernels::BlockKernel<Functor>) {
    return {kernel, reinterpret_cast<const void*>(&run_blocks<Functor>)};
  } else {
    return {kernel, reinterpret_cast<const void*>(&run_indices<Functor>)};
  }
}

template <typename... Functors>
std::array<LaunchEntry, sizeof...(Functors)> entries_of(
    std::type_identity<device::kernels::Family<Functors...>>) noexcept {
  return {entry_of<Functors>()...};
}

}  // namespace gpucheck::cuda
