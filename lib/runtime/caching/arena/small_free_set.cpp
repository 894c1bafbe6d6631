#include "runtime/caching/arena/small_free_set.hpp"

#include <algorithm>

namespace gpucheck::runtime::detail {
namespace {

void append_subtree(const BlockStore& blocks, BlockIndex root, std::vector<BlockIndex>& out) {
  std::vector<BlockIndex> pending{root};
  while (!pending.empty()) {
    const BlockIndex index = pending.back();
    pending.pop_back();
    out.push_back(index);
    for (BlockIndex child = blocks[index].left; child != no_block; child = blocks[child].right) {
      pending.push_back(child);
    }
  }
}

}  // namespace

BlockIndex SmallFreeSet::after(const BlockStore& blocks, BlockIndex index) const {
  const std::size_t bin = bin_of(blocks[index].size);
  const BlockIndex same_size = bins_[bin].next_above(blocks, blocks[index].address);
  if (same_size != no_block) return same_size;
  return bin + 1 == bin_count ? no_block : first_in_bin_from(bin + 1);
}

std::vector<BlockIndex> SmallFreeSet::in_order(const BlockStore& blocks) const {
  std::vector<BlockIndex> result;
  for (BlockIndex top = first_in_bin_from(0); top != no_block;) {
    const auto first = static_cast<std::ptrdiff_t>(result.size());
    append_subtree(blocks, top, result);
    std::sort(result.begin() + first, result.end(),
              [&blocks](BlockIndex a, BlockIndex b) { return blocks[a].address < blocks[b].address; });
    const std::size_t next = bin_of(blocks[top].size) + 1;
    top = next == bin_count ? no_block : first_in_bin_from(next);
  }
  return result;
}

}  // namespace gpucheck::runtime::detail
