#include <array>
#include <tuple>
#include <type_traits>

#include "device/cuda/launch_table.hpp"
#include "device/kernels/kernel_list.hpp"

namespace gpucheck::cuda {
namespace {

/// Each thread takes every n-th invocation, n being the threads in the grid, so any
/// grid gives the right answer.
template <typename Functor>
__global__ void __launch_bounds__(threads_per_block) run(Functor functor, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * threads_per_block;
  for (std::size_t index = std::size_t{blockIdx.x} * threads_per_block + threadIdx.x; index < count; index += stride) {
    functor(device::kernels::Thread{index, count});
  }
}

template <typename... Functors>
std::array<LaunchEntry, sizeof...(Functors)> entries_of(std::type_identity<std::tuple<Functors...>>) noexcept {
  return {LaunchEntry{reinterpret_cast<const void*>(&run<Functors>), sizeof(Functors)}...};
}

}  // namespace

std::span<const LaunchEntry> launch_table() noexcept {
  static const auto entries = entries_of(std::type_identity<device::kernels::KernelList>{});
  return entries;
}

}  // namespace gpucheck::cuda
