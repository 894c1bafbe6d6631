#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/caching/arena/address_heap.hpp"

namespace gpucheck::runtime::detail {

/// The free blocks of the small pool, ordered by (size, address): a heap for each of the
/// 4,096 sizes that they can have, and a bitmap that finds the next size in use.
class SmallFreeSet {
 public:
  void insert(BlockStore& blocks, BlockIndex index) noexcept {
    const std::size_t bin = bin_of(blocks[index].size);
    bins_[bin].insert(blocks, index);
    used_[bin / 64] |= bit(bin);
    used_words_ |= bit(bin / 64);
  }

  void erase(BlockStore& blocks, BlockIndex index) noexcept {
    const std::size_t bin = bin_of(blocks[index].size);
    bins_[bin].erase(blocks, index);
    // Without branches: what is left cannot be predicted.
    used_[bin / 64] &= ~(std::uint64_t{bins_[bin].empty()} << (bin % 64));
    used_words_ &= ~(std::uint64_t{used_[bin / 64] == 0} << (bin / 64));
  }

  /// The smallest block of at least `size` bytes, the lowest address among equals.
  [[nodiscard]] BlockIndex best_fit(const BlockStore&, std::uint64_t size) const noexcept {
    return first_in_bin_from(bin_of(size));
  }

  /// The free block next in order; no_block after the last.
  [[nodiscard]] BlockIndex after(const BlockStore& blocks, BlockIndex index) const;
  /// All of them, in order.
  [[nodiscard]] std::vector<BlockIndex> in_order(const BlockStore& blocks) const;

 private:
  static constexpr std::size_t bin_count = small_segment_size / min_block_size;
  static_assert(bin_count == std::size_t{64} * 64, "one word says which words of the bitmap are in use");

  /// `bin` is below `bin_count`.
  [[nodiscard]] BlockIndex first_in_bin_from(std::size_t bin) const noexcept {
    const std::uint64_t same_word = used_[bin / 64] & (~std::uint64_t{0} << (bin % 64));
    if (same_word != 0) return bins_[bin / 64 * 64 + lowest(same_word)].top();
    const std::uint64_t words = used_words_ & (~std::uint64_t{1} << (bin / 64));
    if (words == 0) return no_block;
    return bins_[lowest(words) * 64 + lowest(used_[lowest(words)])].top();
  }
  static std::size_t bin_of(std::uint64_t size) noexcept { return size / min_block_size - 1; }
  static std::uint64_t bit(std::size_t position) noexcept { return std::uint64_t{1} << (position % 64); }
  static std::size_t lowest(std::uint64_t word) noexcept { return static_cast<std::size_t>(std::countr_zero(word)); }

  std::uint64_t used_words_ = 0;
  std::array<std::uint64_t, bin_count / 64> used_{};
  std::array<AddressHeap, bin_count> bins_{};
};

}  // namespace gpucheck::runtime::detail
