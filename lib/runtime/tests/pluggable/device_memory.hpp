#pragma once

#include <cstddef>

/// Memory of whatever device gpucheck runs on, for the libraries here: a library that
/// calls CUDA itself could not be tried on the simulated device.
namespace pluggable {

struct DeviceMemory {
  void* (*allocate)(void* context, std::size_t bytes) = nullptr;
  void (*free)(void* context, void* pointer) = nullptr;
  int (*wait)(void* context) = nullptr;
  void* context = nullptr;

  [[nodiscard]] void* take(std::size_t bytes) const { return allocate(context, bytes); }
  void give_back(void* pointer) const { free(context, pointer); }
  /// For all work of the device. False when that cannot be.
  [[nodiscard]] bool wait_for_all() const { return wait(context) == 0; }
};

inline DeviceMemory device_memory;

}  // namespace pluggable

extern "C" inline void gpucheck_set_device_memory(void* (*allocate)(void*, std::size_t), void (*free)(void*, void*),
                                                  int (*wait)(void*), void* context) {
  pluggable::device_memory = {allocate, free, wait, context};
}
