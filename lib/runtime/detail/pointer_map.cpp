#include "runtime/detail/pointer_map.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

void PointerMap::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  mask_ = slots_.size() - 1;
  most_ = slots_.size() / 8 * 5;
  --shift_;
  for (const Slot& slot : old) {
    if (slot.index != no_block) put(slot);
  }
}

}  // namespace gpucheck::runtime::detail
