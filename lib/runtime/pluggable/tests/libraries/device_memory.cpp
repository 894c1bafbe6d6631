#include "device_memory.hpp"

pluggable::DeviceMemory pluggable::device_memory;

extern "C" void gpucheck_set_device_memory(void* (*allocate)(void*, std::size_t), void (*free)(void*, void*),
                                           int (*wait)(void*), void* context) {
  pluggable::device_memory = {allocate, free, wait, context};
}
