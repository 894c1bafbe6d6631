#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/caching/arena/block.hpp"

namespace gpucheck::runtime::detail {

/// The free blocks of the large pool, ordered by (size, address).
///
/// Sizes fall into 32 bins for each power of two. A bitmap finds the next bin in use;
/// inside a bin a treap keeps the exact order, its priorities a hash of the block's
/// index. Not thread-safe.
class LargeFreeSet {
 public:
  void insert(BlockStore& blocks, BlockIndex index) noexcept;
  void erase(BlockStore& blocks, BlockIndex index) noexcept;
  /// The smallest block of at least `size` bytes, the lowest address among equals.
  [[nodiscard]] BlockIndex best_fit(const BlockStore& blocks, std::uint64_t size) const noexcept;
  /// The free block next in order; no_block after the last.
  [[nodiscard]] BlockIndex after(const BlockStore& blocks, BlockIndex index) const noexcept;
  /// All of them, in order.
  [[nodiscard]] std::vector<BlockIndex> in_order(const BlockStore& blocks) const;

 private:
  static constexpr int log2_bins_per_octave = 5;
  static constexpr int log2_smallest = 9;  ///< of min_block_size
  /// Sizes that have a bin: far above any device. Requests may ask for more.
  static constexpr int log2_largest = 48;
  static constexpr std::uint64_t largest_size = (std::uint64_t{1} << log2_largest) - min_block_size;
  static constexpr std::size_t bin_count = std::size_t{log2_largest - log2_smallest} << log2_bins_per_octave;
  static constexpr std::size_t word_count = (bin_count + 63) / 64;

  static std::size_t bin_of(std::uint64_t size) noexcept {
    const int log2 = static_cast<int>(std::bit_width(size)) - 1;
    const std::uint64_t part = (size >> (log2 - log2_bins_per_octave)) - (1U << log2_bins_per_octave);
    return (static_cast<std::size_t>(log2 - log2_smallest) << log2_bins_per_octave) + part;
  }
  [[nodiscard]] BlockIndex first_in_bin_after(const BlockStore& blocks, std::size_t bin) const noexcept;
  /// The first bin in use after `bin`; bin_count when there is none.
  [[nodiscard]] std::size_t next_used_bin(std::size_t bin) const noexcept;

  std::array<std::uint64_t, word_count> used_{};
  std::array<BlockIndex, bin_count> roots_{};
};

}  // namespace gpucheck::runtime::detail
