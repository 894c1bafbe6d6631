#include "runtime/pluggable/stopped_exceptions.hpp"

// Compiled without tables for unwinding (CMakeLists.txt): whoever throws beyond this function finds the stack's end
// here, and terminates there and then. The call must not be the last thing that it does, or its frame would be gone.
namespace gpucheck::runtime {

void stop_exceptions_of(void (*function)(const void* work), const void* work) noexcept {
  function(work);
  asm volatile("" ::: "memory");
}

}  // namespace gpucheck::runtime
