#pragma once

#include <cstddef>
#include <cstdint>

#include "device/values/handles.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

/// What the device's default pool of stream-ordered memory holds, in bytes.
struct AsyncPoolUsage {
  std::uint64_t used_bytes = 0;           ///< asked for and not freed, to the byte
  std::uint64_t used_peak_bytes = 0;      ///< the most of it since the last reset
  std::uint64_t reserved_bytes = 0;       ///< allocated from the device
  std::uint64_t reserved_peak_bytes = 0;  ///< the most of it since the last reset
};

/// Memory that comes and goes in stream order, from the device's default pool.
class StreamOrderedMemory {
 public:
  /// `cudaMallocAsync` from the device's default pool, ordered on `stream`.
  [[nodiscard]] virtual Result<void*> allocate_async(std::size_t bytes, Stream stream) = 0;
  /// `cudaFreeAsync`, ordered on `stream`.
  virtual Status free_async(void* pointer, Stream stream) = 0;
  /// `cudaMemPoolGetAttribute` of the device's default pool.
  [[nodiscard]] virtual Result<AsyncPoolUsage> async_pool_usage() = 0;
  /// `cudaMemPoolSetAttribute`: both peaks begin anew.
  virtual Status reset_async_pool_peaks() = 0;
  /// `cudaMemPoolAttrReleaseThreshold`: how much unused memory the pool may keep when the
  /// host waits for a stream, an event or the device. 0 at first.
  virtual Status set_async_pool_threshold(std::uint64_t bytes) = 0;
  /// `cudaMemPoolTrimTo`: unused memory goes back until `bytes_to_keep` are reserved.
  virtual Status trim_async_pool(std::uint64_t bytes_to_keep) = 0;

 protected:
  ~StreamOrderedMemory() = default;
};

}  // namespace gpucheck::device

/// The operations of `StreamOrderedMemory`: see `operations.hpp`.
#define GPUCHECK_STREAM_ORDERED_MEMORY_OPERATIONS(OPERATION, ALSO)                                              \
  OPERATION(allocate_async, device::Result<void*>, allocate_async, (std::size_t bytes, device::Stream stream),  \
            (bytes, stream))                                                                                    \
  OPERATION(free_async, device::Status, free_async, (void* pointer, device::Stream stream), (pointer, stream))  \
  OPERATION(async_pool_usage, device::Result<device::AsyncPoolUsage>, async_pool_usage, (), ())                 \
  OPERATION(reset_async_pool_peaks, device::Status, reset_async_pool_peaks, (), ())                             \
  OPERATION(set_async_pool_threshold, device::Status, set_async_pool_threshold, (std::uint64_t bytes), (bytes)) \
  OPERATION(trim_async_pool, device::Status, trim_async_pool, (std::uint64_t bytes_to_keep), (bytes_to_keep))
