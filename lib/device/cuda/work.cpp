#include <algorithm>
#include <array>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/kernels/launch_table.hpp"

namespace gpucheck::cuda {
namespace {

using device::CopyKind;
using device::KernelLaunch;
using device::Status;
using device::Stream;

cudaMemcpyKind raw(CopyKind kind) {
  switch (kind) {
    case CopyKind::host_to_device:
      return cudaMemcpyHostToDevice;
    case CopyKind::device_to_host:
      return cudaMemcpyDeviceToHost;
    case CopyKind::device_to_device:
      return cudaMemcpyDeviceToDevice;
    default:
      return cudaMemcpyHostToHost;
  }
}

/// A thread for each invocation: blocks then start in the order of memory. The kernels loop beyond the largest grid.
unsigned block_count(std::size_t count) {
  constexpr std::size_t max_grid = (std::size_t{1} << 31) - 1;
  return static_cast<unsigned>(
      std::min(count / threads_per_block + (count % threads_per_block != 0 ? 1 : 0), max_grid));
}

/// A block each, up to a number far above what fits on any device: the kernels loop.
unsigned grid_of_blocks(std::size_t count, unsigned threads) {
  constexpr std::size_t max_grid = std::size_t{1} << 20;
  if (threads == 0) return 1;  // the driver says what is wrong
  return static_cast<unsigned>(std::min(count / threads + (count % threads != 0 ? 1 : 0), max_grid));
}

}  // namespace

Status CudaDevice::copy(void* destination, const void* source, std::size_t bytes, CopyKind kind, Stream stream) {
  return status_of([&] { return cudaMemcpyAsync(destination, source, bytes, raw(kind), cuda::raw(stream)); });
}

Status CudaDevice::fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) {
  return status_of([&] { return cudaMemsetAsync(destination, value, bytes, cuda::raw(stream)); });
}

Status CudaDevice::launch(const KernelLaunch& launch, Stream stream) {
  const void* function = find_function(launch.kernel);
  if (function == nullptr) return Status::invalid_value;
  if (launch.count == 0) return Status::success;
  std::size_t count = launch.count;
  std::size_t shared_bytes = launch.block.shared_bytes;
  std::array<void*, 3> arguments{const_cast<void*>(launch.functor), &count, &shared_bytes};
  const bool by_block = launch.kernel->by_block;
  const dim3 grid(by_block ? grid_of_blocks(count, launch.block.threads) : block_count(count));
  const dim3 block(by_block ? launch.block.threads : threads_per_block);
  return status_of(
      [&] { return cudaLaunchKernel(function, grid, block, arguments.data(), shared_bytes, cuda::raw(stream)); });
}

Status CudaDevice::host_callback(Stream stream, device::HostFunction function, void* argument) {
  return status_of([&] { return cudaLaunchHostFunc(cuda::raw(stream), function, argument); });
}

}  // namespace gpucheck::cuda
