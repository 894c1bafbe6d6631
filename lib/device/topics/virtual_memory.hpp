#pragma once

#include <cstddef>

#include "device/values/status.hpp"

namespace gpucheck::device {

/// Virtual memory is mapped in multiples of this many bytes
/// (`cuMemGetAllocationGranularity`: the same for every GPU so far).
inline constexpr std::size_t mapping_granularity = std::size_t{2} << 20;

/// Addresses and memory apart: sizes and pointers are multiples of `mapping_granularity`,
/// else invalid_value. Allowed while a capture is open.
class VirtualMemory {
 public:
  /// `cuMemAddressReserve`: addresses that nothing else gets, with no memory behind them.
  [[nodiscard]] virtual Result<void*> reserve_addresses(std::size_t bytes) = 0;
  /// `cuMemAddressFree` of a whole reservation in which nothing is mapped.
  virtual Status release_addresses(void* pointer, std::size_t bytes) = 0;
  /// `cuMemCreate`, `cuMemMap`, `cuMemSetAccess`: memory of this device, for this device
  /// to read and write, behind reserved addresses; with its neighbours it can be used as
  /// one range. On an error nothing is mapped.
  virtual Status map_memory(void* pointer, std::size_t bytes) = 0;
  /// `cuMemUnmap` of exactly what one `map_memory` mapped; the memory goes back to the
  /// device. A part of that gives invalid_value; where nothing is mapped, nothing
  /// happens. Waits for nothing: no work may use it any more.
  virtual Status unmap_memory(void* pointer, std::size_t bytes) = 0;

 protected:
  ~VirtualMemory() = default;
};

}  // namespace gpucheck::device

/// The operations of `VirtualMemory`: see `operations.hpp`.
#define GPUCHECK_VIRTUAL_MEMORY_OPERATIONS(OPERATION, ALSO)                                               \
  OPERATION(reserve_addresses, device::Result<void*>, reserve_addresses, (std::size_t bytes), (bytes))    \
  OPERATION(release_addresses, device::Status, release_addresses, (void* pointer, std::size_t bytes),     \
            (pointer, bytes))                                                                             \
  OPERATION(map_memory, device::Status, map_memory, (void* pointer, std::size_t bytes), (pointer, bytes)) \
  OPERATION(unmap_memory, device::Status, unmap_memory, (void* pointer, std::size_t bytes), (pointer, bytes))
