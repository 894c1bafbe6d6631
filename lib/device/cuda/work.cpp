#include <algorithm>
#include <array>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/launch_table.hpp"

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

/// Enough blocks to fill every multiprocessor, and no more: the kernels loop.
unsigned block_count(std::size_t count, const device::DeviceProperties& properties) {
  const auto per_multiprocessor =
      static_cast<std::size_t>(properties.max_threads_per_multiprocessor) / threads_per_block;
  const std::size_t most = static_cast<std::size_t>(properties.multiprocessor_count) * per_multiprocessor;
  const std::size_t needed = count / threads_per_block + (count % threads_per_block != 0 ? 1 : 0);
  return static_cast<unsigned>(std::min(needed, std::max<std::size_t>(most, 1)));
}

}  // namespace

Status CudaDevice::copy(void* destination, const void* source, std::size_t bytes, CopyKind kind, Stream stream) {
  return status_of([&] { return cudaMemcpyAsync(destination, source, bytes, raw(kind), cuda::raw(stream)); });
}

Status CudaDevice::fill(void* destination, std::uint8_t value, std::size_t bytes, Stream stream) {
  return status_of([&] { return cudaMemsetAsync(destination, value, bytes, cuda::raw(stream)); });
}

Status CudaDevice::launch(const KernelLaunch& launch, Stream stream) {
  if (launch.count == 0) return Status::success;
  const auto table = launch_table();
  const std::size_t index = static_cast<std::size_t>(launch.kernel);
  // A functor of another size than the compiled kernel's would be read past its end.
  if (index >= table.size() || table[index].functor_bytes != launch.functor_bytes) return Status::invalid_value;
  std::size_t count = launch.count;
  std::array<void*, 2> arguments{const_cast<void*>(launch.functor), &count};
  return status_of([&] {
    return cudaLaunchKernel(table[index].function, dim3(block_count(count, properties_)), dim3(threads_per_block),
                            arguments.data(), 0, cuda::raw(stream));
  });
}

Status CudaDevice::host_callback(Stream stream, device::HostFunction function, void* argument) {
  return status_of([&] { return cudaLaunchHostFunc(cuda::raw(stream), function, argument); });
}

}  // namespace gpucheck::cuda
