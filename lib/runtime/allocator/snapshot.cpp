#include "runtime/allocator/snapshot.hpp"

namespace gpucheck::runtime {

const char* name_of(BlockState state) noexcept {
  switch (state) {
    case BlockState::active_allocated:
      return "active_allocated";
    case BlockState::active_pending_free:
      return "active_pending_free";
    case BlockState::inactive:
      break;
  }
  return "inactive";
}

}  // namespace gpucheck::runtime
