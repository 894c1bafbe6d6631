#include "runtime/pluggable/stopped_exceptions.hpp"

// Compiled without tables for unwinding (CMakeLists.txt): whoever throws beyond these functions finds the stack's end
// here, and terminates there and then. A call must not be the last thing that they do, or their frames would be gone.
namespace gpucheck::runtime {

void* call_allocate(AllocateFunction function, std::size_t bytes, int device, void* stream) noexcept {
  void* const pointer = function(bytes, device, stream);
  asm volatile("" ::: "memory");
  return pointer;
}

void call_free(FreeFunction function, void* pointer, std::size_t bytes, int device, void* stream) noexcept {
  function(pointer, bytes, device, stream);
  asm volatile("" ::: "memory");
}

}  // namespace gpucheck::runtime
