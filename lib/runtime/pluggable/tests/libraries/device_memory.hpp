#pragma once

#include <cstddef>

/// Memory of whatever device gpucheck runs on, for the libraries here: a library that
/// calls CUDA itself could not be tried on the simulated device.
namespace pluggable {

struct DeviceMemory {
  void* (*allocate_with)(void* context, std::size_t bytes) = nullptr;
  void (*free_with)(void* context, void* pointer) = nullptr;
  int (*wait_with)(void* context) = nullptr;
  void* context = nullptr;

  [[nodiscard]] void* allocate(std::size_t bytes) const { return allocate_with(context, bytes); }
  void free(void* pointer) const { free_with(context, pointer); }
  /// For all work of the device. False when that cannot be.
  [[nodiscard]] bool wait_for_all() const { return wait_with(context) == 0; }
};

/// Set by gpucheck before the library's first call.
extern DeviceMemory device_memory;

}  // namespace pluggable
