#pragma once

#include <cstddef>
#include <cstdint>

#include "device/values/kernel.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

struct MemoryInfo {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

enum class MemoryKind { unregistered, host, device };

struct PointerInfo {
  MemoryKind kind = MemoryKind::unregistered;
};

/// Device memory and page-locked host memory.
class Memory {
 public:
  /// `cudaMalloc`. 0 bytes gives a null pointer and success. At least 256-byte aligned.
  [[nodiscard]] virtual Result<void*> allocate(std::size_t bytes) = 0;
  /// `cudaFree`. Waits for the device; null is a no-op. A pointer that was not
  /// allocated gives invalid_value.
  virtual Status free(void* pointer) = 0;
  /// `cudaHostAlloc`: page-locked host memory, usable by asynchronous copies.
  [[nodiscard]] virtual Result<void*> allocate_pinned(std::size_t bytes) = 0;
  /// `cudaFreeHost`.
  virtual Status free_pinned(void* pointer) = 0;
  /// `cudaHostRegister`: page-locks memory the host already owns.
  virtual Status register_host(void* pointer, std::size_t bytes) = 0;
  /// `cudaHostUnregister`; `pointer` must be the start of a registered range.
  virtual Status unregister_host(void* pointer) = 0;
  /// Says that the host is about to read or write page-locked memory. Nothing happens on a
  /// GPU, which cannot know; the simulated device reports a race with work that the host has
  /// not waited for. Touch the memory right after the call.
  virtual Status host_access(const MemoryAccess& access) = 0;
  /// `cudaMemGetInfo`.
  [[nodiscard]] virtual Result<MemoryInfo> memory_info() = 0;
  /// `cudaPointerGetAttributes`: what kind of memory an address is.
  [[nodiscard]] virtual Result<PointerInfo> pointer_info(const void* pointer) = 0;

 protected:
  ~Memory() = default;
};

}  // namespace gpucheck::device

/// The operations of `Memory`: see `operations.hpp`.
#define GPUCHECK_MEMORY_OPERATIONS(OPERATION, ALSO)                                                             \
  OPERATION(allocate, device::Result<void*>, allocate, (std::size_t bytes), (bytes))                            \
  OPERATION(free, device::Status, free, (void* pointer), (pointer))                                             \
  OPERATION(allocate_pinned, device::Result<void*>, allocate_pinned, (std::size_t bytes), (bytes))              \
  OPERATION(free_pinned, device::Status, free_pinned, (void* pointer), (pointer))                               \
  OPERATION(register_host, device::Status, register_host, (void* pointer, std::size_t bytes), (pointer, bytes)) \
  OPERATION(unregister_host, device::Status, unregister_host, (void* pointer), (pointer))                       \
  OPERATION(host_access, device::Status, host_access, (const device::MemoryAccess& access), (access))           \
  OPERATION(memory_info, device::Result<device::MemoryInfo>, memory_info, (), ())                               \
  OPERATION(pointer_info, device::Result<device::PointerInfo>, pointer_info, (const void* pointer), (pointer))
