#include "runtime/allocator/memory_recorder.hpp"

namespace gpucheck::runtime {

const char* name_of(MemoryAction action) noexcept {
  switch (action) {
    case MemoryAction::alloc:
      return "alloc";
    case MemoryAction::free_requested:
      return "free_requested";
    case MemoryAction::free_completed:
      return "free_completed";
    case MemoryAction::segment_alloc:
      return "segment_alloc";
    case MemoryAction::segment_free:
      return "segment_free";
    case MemoryAction::segment_map:
      return "segment_map";
    case MemoryAction::segment_unmap:
      return "segment_unmap";
    case MemoryAction::oom:
      return "oom";
    case MemoryAction::snapshot:
      break;
  }
  return "snapshot";
}

}  // namespace gpucheck::runtime
