#include "runtime/detail/block.hpp"

#include <utility>

namespace gpucheck::runtime::detail {

BlockIndex BlockStore::make() {
  if (unused_ != no_block) {
    const BlockIndex index = unused_;
    unused_ = (*this)[index].next;
    (*this)[index].next = no_block;
    return index;
  }
  if (end_ / page_size == pages_.size()) pages_.push_back(std::make_unique<Block[]>(page_size));
  return end_++;
}

void BlockStore::release(BlockIndex index) {
  (*this)[index] = Block{};
  (*this)[index].next = std::exchange(unused_, index);
}

std::size_t BlockStore::bytes() const noexcept {
  return pages_.size() * page_size * sizeof(Block) + pages_.capacity() * sizeof(pages_[0]);
}

}  // namespace gpucheck::runtime::detail
