#include <cstdint>

#include "device/cuda/cuda_device.hpp"

namespace gpucheck::cuda {
namespace {

using device::AsyncPoolUsage;
using device::Result;
using device::Status;

/// Runs `action` with the device's default pool.
template <typename Action>
cudaError_t with_default_pool(int ordinal, Action action) {
  cudaMemPool_t pool = nullptr;
  const cudaError_t error = cudaDeviceGetDefaultMemPool(&pool, ordinal);
  return error == cudaSuccess ? action(pool) : error;
}

cudaError_t read(cudaMemPool_t pool, cudaMemPoolAttr attribute, std::uint64_t& value) {
  return cudaMemPoolGetAttribute(pool, attribute, &value);  // 64 bits, as every size of a pool
}

cudaError_t write(cudaMemPool_t pool, cudaMemPoolAttr attribute, std::uint64_t value) {
  return cudaMemPoolSetAttribute(pool, attribute, &value);
}

cudaError_t read_usage(cudaMemPool_t pool, AsyncPoolUsage& usage) {
  cudaError_t error = read(pool, cudaMemPoolAttrUsedMemCurrent, usage.used_bytes);
  if (error == cudaSuccess) error = read(pool, cudaMemPoolAttrUsedMemHigh, usage.used_peak_bytes);
  if (error == cudaSuccess) error = read(pool, cudaMemPoolAttrReservedMemCurrent, usage.reserved_bytes);
  if (error == cudaSuccess) error = read(pool, cudaMemPoolAttrReservedMemHigh, usage.reserved_peak_bytes);
  return error;
}

}  // namespace

Result<AsyncPoolUsage> CudaDevice::async_pool_usage() {
  AsyncPoolUsage usage;
  const cudaError_t error =
      call([&] { return with_default_pool(ordinal_, [&](cudaMemPool_t pool) { return read_usage(pool, usage); }); });
  return to_result(error, usage);
}

Status CudaDevice::reset_async_pool_peaks() {
  return status_of([&] {
    return with_default_pool(ordinal_, [](cudaMemPool_t pool) {
      const cudaError_t error = write(pool, cudaMemPoolAttrUsedMemHigh, 0);
      return error == cudaSuccess ? write(pool, cudaMemPoolAttrReservedMemHigh, 0) : error;
    });
  });
}

Status CudaDevice::set_async_pool_threshold(std::uint64_t bytes) {
  return status_of([&] {
    return with_default_pool(ordinal_,
                             [&](cudaMemPool_t pool) { return write(pool, cudaMemPoolAttrReleaseThreshold, bytes); });
  });
}

Status CudaDevice::trim_async_pool(std::uint64_t bytes_to_keep) {
  return status_of([&] {
    return with_default_pool(ordinal_, [&](cudaMemPool_t pool) { return cudaMemPoolTrimTo(pool, bytes_to_keep); });
  });
}

}  // namespace gpucheck::cuda
