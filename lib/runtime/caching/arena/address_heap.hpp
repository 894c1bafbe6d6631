#pragma once

#include <utility>
#include <vector>

#include "runtime/caching/arena/block.hpp"

namespace gpucheck::runtime::detail {

/// Blocks with the lowest address on top: a pairing heap, linked through the blocks
/// (`left` is the first child, `right` the next sibling, `back` the one before or, for a
/// first child, the parent). A value of 4 bytes; the blocks are passed in.
class AddressHeap {
 public:
  [[nodiscard]] BlockIndex top() const noexcept { return root_; }
  [[nodiscard]] bool empty() const noexcept { return root_ == no_block; }

  void insert(BlockStore& blocks, BlockIndex index) noexcept {
    blocks[index].left = blocks[index].right = blocks[index].back = no_block;
    root_ = meld(blocks, root_, index);
  }

  void erase(BlockStore& blocks, BlockIndex index) noexcept {
    const Block& block = blocks[index];
    const BlockIndex children = block.left == no_block ? no_block : combine(blocks, block.left);
    // For the root, all this happens to no_block.
    Block& before = blocks[block.back];
    (before.left == index ? before.left : before.right) = block.right;
    blocks[block.right].back = block.back;
    const bool was_root = index == root_;
    root_ = was_root ? children : root_;
    if (children != no_block && !was_root) root_ = meld(blocks, root_, children);
  }

  /// The block with the lowest address above `address`; no_block for none. Looks at all
  /// blocks below it.
  [[nodiscard]] BlockIndex next_above(const BlockStore& blocks, std::uintptr_t address) const {
    if (empty()) return no_block;
    if (blocks[root_].left == no_block) return blocks[root_].address > address ? root_ : no_block;
    BlockIndex next = no_block;
    std::vector<BlockIndex> pending{root_};
    while (!pending.empty()) {
      const BlockIndex index = pending.back();
      pending.pop_back();
      if (blocks[index].address > address) {  // and so is everything under it
        if (next == no_block || blocks[index].address < blocks[next].address) next = index;
        continue;
      }
      for (BlockIndex child = blocks[index].left; child != no_block; child = blocks[child].right) {
        pending.push_back(child);
      }
    }
    return next;
  }

 private:
  /// Puts the root with the higher address below the other. Neither has siblings. `a` may
  /// be no_block, which counts as higher than all, if `b` has no children. Without
  /// branches: which one is higher cannot be predicted.
  static BlockIndex meld(BlockStore& blocks, BlockIndex a, BlockIndex b) noexcept {
    const BlockIndex difference = (a ^ b) & -BlockIndex{blocks[b].address < blocks[a].address};
    const BlockIndex upper = a ^ difference;
    const BlockIndex lower = b ^ difference;
    Block& top = blocks[upper];
    Block& below = blocks[lower];
    below.right = top.left;
    blocks[top.left].back = lower;
    below.back = upper;
    top.left = lower;
    return upper;
  }

  /// One heap of a list of siblings: melds them in pairs, then the pairs from the last
  /// to the first, which keeps the amortised cost of an erase logarithmic.
  static BlockIndex combine(BlockStore& blocks, BlockIndex first) noexcept {
    BlockIndex pairs = no_block;  // chained by `right`, the last made in front
    while (first != no_block) {
      const BlockIndex second = blocks[first].right;
      const BlockIndex rest = second == no_block ? no_block : blocks[second].right;
      const BlockIndex pair = second == no_block ? first : meld(blocks, first, second);
      blocks[pair].right = std::exchange(pairs, pair);
      first = rest;
    }
    BlockIndex root = pairs;
    pairs = std::exchange(blocks[root].right, no_block);
    while (pairs != no_block) {
      const BlockIndex next = std::exchange(blocks[pairs].right, no_block);
      root = meld(blocks, root, pairs);
      pairs = next;
    }
    blocks[root].back = no_block;
    return root;
  }

  BlockIndex root_ = no_block;
};

}  // namespace gpucheck::runtime::detail
