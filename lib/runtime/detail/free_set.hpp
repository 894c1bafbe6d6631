#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "runtime/detail/block.hpp"

namespace gpucheck::runtime::detail {

/// The free blocks of one stream and pool kind, ordered by (size, address).
///
/// Sizes fall into bins: one per 512 bytes up to 32 KiB, then 32 for each power of two.
/// A bitmap finds the next bin in use; inside a bin a treap keeps the exact order, its
/// priorities a hash of the block's index. Not thread-safe.
class FreeSet {
 public:
  void insert(BlockStore& blocks, BlockIndex index) noexcept;
  void erase(BlockStore& blocks, BlockIndex index) noexcept;
  /// The smallest block of at least `size` bytes, the lowest address among equals.
  [[nodiscard]] BlockIndex best_fit(const BlockStore& blocks, std::uint64_t size) const noexcept;
  /// All of them, in order.
  [[nodiscard]] std::vector<BlockIndex> in_order(const BlockStore& blocks) const;

 private:
  static constexpr std::size_t exact_bins = 64;
  static constexpr int log2_exact_bins = 6;
  static constexpr int log2_bins_per_octave = 5;
  /// Sizes that have a bin: far above any device. Requests may ask for more.
  static constexpr std::uint64_t largest_size = (std::uint64_t{1} << 48) - min_block_size;
  static constexpr std::size_t bin_count = exact_bins + ((48 - 9 - log2_exact_bins) << log2_bins_per_octave);
  static constexpr std::size_t word_count = (bin_count + 63) / 64;

  static std::size_t bin_of(std::uint64_t size) noexcept {
    const std::uint64_t units = size / min_block_size;
    if (units < exact_bins) return units;
    const int log2 = static_cast<int>(std::bit_width(units)) - 1;
    const std::uint64_t octave = static_cast<std::uint64_t>(log2 - log2_exact_bins);
    const std::uint64_t part = (units >> (log2 - log2_bins_per_octave)) - (1U << log2_bins_per_octave);
    return exact_bins + (octave << log2_bins_per_octave) + part;
  }
  /// The first bin in use after `bin`; bin_count when there is none.
  [[nodiscard]] std::size_t next_used_bin(std::size_t bin) const noexcept;

  std::array<std::uint64_t, word_count> used_{};
  std::array<BlockIndex, bin_count> roots_{};
};

}  // namespace gpucheck::runtime::detail
