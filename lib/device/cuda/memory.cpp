#include "device/cuda/cuda_device.hpp"

namespace gpucheck::cuda {
namespace {

using device::MemoryInfo;
using device::MemoryKind;
using device::PointerInfo;
using device::Result;
using device::Status;
using device::Stream;

MemoryKind memory_kind(cudaMemoryType type) {
  switch (type) {
    case cudaMemoryTypeHost:
      return MemoryKind::host;
    case cudaMemoryTypeDevice:
    case cudaMemoryTypeManaged:
      return MemoryKind::device;
    default:
      return MemoryKind::unregistered;
  }
}

}  // namespace

Result<void*> CudaDevice::allocate(std::size_t bytes) {
  void* pointer = nullptr;
  const cudaError_t error = call([&] { return cudaMalloc(&pointer, bytes); });
  return to_result(error, pointer);
}

Status CudaDevice::free(void* pointer) {
  return status_of([&] { return cudaFree(pointer); });
}

Result<void*> CudaDevice::allocate_async(std::size_t bytes, Stream stream) {
  void* pointer = nullptr;
  const cudaError_t error = call([&] { return cudaMallocAsync(&pointer, bytes, raw(stream)); });
  return to_result(error, pointer);
}

Status CudaDevice::free_async(void* pointer, Stream stream) {
  return status_of([&] { return cudaFreeAsync(pointer, raw(stream)); });
}

Result<void*> CudaDevice::allocate_pinned(std::size_t bytes) {
  void* pointer = nullptr;
  const cudaError_t error = call([&] { return cudaHostAlloc(&pointer, bytes, cudaHostAllocDefault); });
  return to_result(error, pointer);
}

Status CudaDevice::free_pinned(void* pointer) {
  return status_of([&] { return cudaFreeHost(pointer); });
}

Status CudaDevice::register_host(void* pointer, std::size_t bytes) {
  return status_of([&] { return cudaHostRegister(pointer, bytes, cudaHostRegisterDefault); });
}

Status CudaDevice::unregister_host(void* pointer) {
  return status_of([&] { return cudaHostUnregister(pointer); });
}

Status CudaDevice::host_access(const device::MemoryAccess&) { return Status::success; }

Result<MemoryInfo> CudaDevice::memory_info() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  const cudaError_t error = call([&] { return cudaMemGetInfo(&free_bytes, &total_bytes); });
  return to_result(error, MemoryInfo{.free_bytes = free_bytes, .total_bytes = total_bytes});
}

Result<PointerInfo> CudaDevice::pointer_info(const void* pointer) {
  cudaPointerAttributes attributes{};
  const cudaError_t error = call([&] { return cudaPointerGetAttributes(&attributes, pointer); });
  return to_result(error, PointerInfo{.kind = memory_kind(attributes.type)});
}

}  // namespace gpucheck::cuda
