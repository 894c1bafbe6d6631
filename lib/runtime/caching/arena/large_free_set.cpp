#include "runtime/caching/arena/large_free_set.hpp"

namespace gpucheck::runtime::detail {
namespace {

/// Different for different blocks, since the factor is odd.
std::uint32_t priority(BlockIndex index) noexcept { return index * 2654435769U; }

bool before(const Block& a, const Block& b) noexcept {
  return a.size != b.size ? a.size < b.size : a.address < b.address;
}

/// Parts the tree at `root` into blocks before and after `node`, as its children.
void split_below(BlockStore& blocks, BlockIndex root, Block& node) noexcept {
  BlockIndex* left = &node.left;
  BlockIndex* right = &node.right;
  while (root != no_block) {
    Block& at = blocks[root];
    if (before(at, node)) {
      *left = root;
      left = &at.right;
      root = at.right;
    } else {
      *right = root;
      right = &at.left;
      root = at.left;
    }
  }
  *left = no_block;
  *right = no_block;
}

/// Joins two trees, all of `left` before all of `right`, at `link`.
void join(BlockStore& blocks, BlockIndex* link, BlockIndex left, BlockIndex right) noexcept {
  while (left != no_block && right != no_block) {
    if (priority(left) > priority(right)) {
      *link = left;
      link = &blocks[left].right;
      left = *link;
    } else {
      *link = right;
      link = &blocks[right].left;
      right = *link;
    }
  }
  *link = left != no_block ? left : right;
}

void append_in_order(const BlockStore& blocks, BlockIndex root, std::vector<BlockIndex>& out) {
  std::vector<BlockIndex> path;
  while (root != no_block || !path.empty()) {
    while (root != no_block) {
      path.push_back(root);
      root = blocks[root].left;
    }
    out.push_back(path.back());
    root = blocks[path.back()].right;
    path.pop_back();
  }
}

}  // namespace

void LargeFreeSet::insert(BlockStore& blocks, BlockIndex index) noexcept {
  Block& node = blocks[index];
  const std::size_t bin = bin_of(node.size);
  used_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  BlockIndex* link = &roots_[bin];
  while (*link != no_block && priority(*link) > priority(index)) {
    Block& at = blocks[*link];
    link = before(node, at) ? &at.left : &at.right;
  }
  split_below(blocks, *link, node);
  *link = index;
}

void LargeFreeSet::erase(BlockStore& blocks, BlockIndex index) noexcept {
  const Block& node = blocks[index];
  const std::size_t bin = bin_of(node.size);
  BlockIndex* link = &roots_[bin];
  while (*link != index) {
    Block& at = blocks[*link];
    link = before(node, at) ? &at.left : &at.right;
  }
  join(blocks, link, node.left, node.right);
  if (roots_[bin] == no_block) used_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
}

BlockIndex LargeFreeSet::best_fit(const BlockStore& blocks, std::uint64_t size) const noexcept {
  if (size > largest_size) return no_block;
  std::size_t bin = bin_of(size);
  BlockIndex best = no_block;
  for (BlockIndex at = roots_[bin]; at != no_block;) {
    const bool fits = blocks[at].size >= size;
    if (fits) best = at;
    at = fits ? blocks[at].left : blocks[at].right;
  }
  return best != no_block ? best : first_in_bin_after(blocks, bin);
}

BlockIndex LargeFreeSet::after(const BlockStore& blocks, BlockIndex index) const noexcept {
  const std::size_t bin = bin_of(blocks[index].size);
  BlockIndex next = no_block;
  for (BlockIndex at = roots_[bin]; at != no_block;) {
    const bool follows = before(blocks[index], blocks[at]);
    if (follows) next = at;
    at = follows ? blocks[at].left : blocks[at].right;
  }
  return next != no_block ? next : first_in_bin_after(blocks, bin);
}

BlockIndex LargeFreeSet::first_in_bin_after(const BlockStore& blocks, std::size_t bin) const noexcept {
  bin = next_used_bin(bin);
  if (bin == bin_count) return no_block;
  BlockIndex first = roots_[bin];
  while (blocks[first].left != no_block) first = blocks[first].left;
  return first;
}

std::size_t LargeFreeSet::next_used_bin(std::size_t bin) const noexcept {
  std::size_t word = bin / 64;
  std::uint64_t bits = used_[word] & ~(~std::uint64_t{0} >> (63 - bin % 64));
  while (bits == 0) {
    if (++word == word_count) return bin_count;
    bits = used_[word];
  }
  return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
}

std::vector<BlockIndex> LargeFreeSet::in_order(const BlockStore& blocks) const {
  std::vector<BlockIndex> result;
  for (std::size_t word = 0; word < word_count; ++word) {
    for (std::uint64_t bits = used_[word]; bits != 0; bits &= bits - 1) {
      append_in_order(blocks, roots_[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))], result);
    }
  }
  return result;
}

}  // namespace gpucheck::runtime::detail
