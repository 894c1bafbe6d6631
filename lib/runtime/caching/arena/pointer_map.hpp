#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "runtime/caching/arena/block.hpp"

namespace gpucheck::runtime::detail {

/// Start address to block, for an arena's blocks that are in use. Not thread-safe.
///
/// A hash table of buckets of one cache line, each with room for seven blocks. All seven
/// hashes are compared at once and without a branch: where a random block lies cannot be
/// predicted. What finds its bucket full goes to the next one with room.
class PointerMap {
 public:
  /// Where a block is in the map; good until the next change.
  struct Place {
    std::uint32_t bucket = 0;
    std::uint32_t lane = 0;
    BlockIndex index = no_block;  ///< no_block: not in the map
  };

  [[nodiscard]] Place find(const BlockStore& blocks, std::uintptr_t address) const noexcept {
    const std::uint32_t hash = hash_of(address);
    std::uint32_t at = home(hash);
    do {
      const Bucket& bucket = buckets_[at];
      for (unsigned lanes = bucket.with_hash(hash); lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
        if (blocks[bucket.indices[lane]].address == address) return {at, lane, bucket.indices[lane]};
      }
      if (bucket.passed_by() == 0) return {};
      at = next(at);
    } while (at != home(hash));
    return {};
  }

  /// `blocks[index]` must not be in the map yet.
  void insert(const BlockStore& blocks, BlockIndex index) {
    if (++size_ > max_size_) grow();
    put(hash_of(blocks[index].address), index);
  }

  void erase(Place place) noexcept {
    Bucket& bucket = buckets_[place.bucket];
    for (std::uint32_t at = home(bucket.hashes[place.lane]); at != place.bucket; at = next(at)) {
      --buckets_[at].passed_by();
    }
    bucket.hashes[place.lane] = no_hash;
    --size_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return buckets_.capacity() * sizeof(Bucket); }

 private:
  static constexpr std::size_t lane_count = 8;
  static constexpr std::size_t room = lane_count - 1;
  static constexpr std::uint32_t no_hash = 0;

  struct alignas(64) Bucket {
    std::array<std::uint32_t, lane_count> hashes{};  ///< no_hash where there is room
    std::array<BlockIndex, lane_count> indices{};

    /// How many blocks that belong here had to go on to the next bucket. Uses the last
    /// lane, which holds no block.
    [[nodiscard]] std::uint32_t& passed_by() noexcept { return indices[room]; }
    [[nodiscard]] std::uint32_t passed_by() const noexcept { return indices[room]; }

    /// The lanes, as bits, that hold `hash`.
    [[nodiscard]] unsigned with_hash(std::uint32_t hash) const noexcept {
      unsigned lanes = 0;
#if defined(__SSE2__)
      const __m128i wanted = _mm_set1_epi32(static_cast<int>(hash));
      const auto* halves = reinterpret_cast<const __m128i*>(hashes.data());
      const __m128i low = _mm_cmpeq_epi32(_mm_load_si128(halves), wanted);
      const __m128i high = _mm_cmpeq_epi32(_mm_load_si128(halves + 1), wanted);
      lanes = static_cast<unsigned>(_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(low, high), __m128i{})));
#else
      for (std::size_t lane = 0; lane < lane_count; ++lane) lanes |= hashes[lane] == hash ? 1U << lane : 0U;
#endif
      return lanes & ((1U << room) - 1);
    }
  };
  static constexpr std::size_t min_buckets = 2;

  /// Never no_hash.
  static std::uint32_t hash_of(std::uintptr_t address) noexcept {
    return static_cast<std::uint32_t>(((address / min_block_size) * 0x9E3779B97F4A7C15U) >> 32U) | 1U;
  }
  [[nodiscard]] std::uint32_t home(std::uint32_t hash) const noexcept { return hash >> shift_; }
  [[nodiscard]] std::uint32_t next(std::uint32_t bucket) const noexcept { return (bucket + 1) & mask_; }

  void put(std::uint32_t hash, BlockIndex index) noexcept {
    std::uint32_t at = home(hash);
    unsigned vacant = buckets_[at].with_hash(no_hash);
    for (; vacant == 0; vacant = buckets_[at].with_hash(no_hash)) {
      ++buckets_[at].passed_by();
      at = next(at);
    }
    const auto lane = static_cast<std::size_t>(std::countr_zero(vacant));
    buckets_[at].hashes[lane] = hash;
    buckets_[at].indices[lane] = index;
  }
  void grow();

  std::vector<Bucket> buckets_{min_buckets};  ///< a power of two of them
  std::uint32_t mask_ = min_buckets - 1;
  std::size_t size_ = 0;
  std::size_t max_size_ = max_size_with(min_buckets);  ///< grows beyond
  unsigned shift_ = 32 - 1;                            ///< leaves log2 of the number of buckets

  /// Three in five places: few buckets are full then.
  static constexpr std::size_t max_size_with(std::size_t buckets) noexcept { return buckets * room * 3 / 5; }
};

}  // namespace gpucheck::runtime::detail
