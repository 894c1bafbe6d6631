// An allocator library as simple as one can be: what is freed goes back to the device,
// once the device is done with it.

#include "device_memory.hpp"

extern "C" void* my_malloc(std::size_t bytes, int /*device*/, void* /*stream*/) {
  if (bytes == 0) return nullptr;
  return pluggable::device_memory.allocate(bytes);
}

extern "C" void my_free(void* pointer, std::size_t /*bytes*/, int /*device*/, void* /*stream*/) {
  if (pointer == nullptr || !pluggable::device_memory.wait_for_all()) return;
  pluggable::device_memory.free(pointer);
}
