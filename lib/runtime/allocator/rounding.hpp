#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/rounding.hpp"
#include "base/text/units.hpp"
#include "runtime/settings/settings.hpp"

/// How the caching allocator sizes blocks and segments. Pure functions; sizes in bytes.
namespace gpucheck::runtime {

/// Blocks up to 1 MiB and larger ones are kept apart, for life.
enum class PoolKind : std::uint8_t { small, large };
inline constexpr std::size_t pool_kinds = 2;

inline constexpr std::uint64_t min_block_size = 512;
inline constexpr std::uint64_t small_size = 1_MiB;  ///< largest block of the small pool
inline constexpr std::uint64_t small_segment_size = 2_MiB;
inline constexpr std::uint64_t min_large_segment = 10_MiB;  ///< from here a segment holds one request
inline constexpr std::uint64_t segment_granularity = 2_MiB;

/// Number of divisions that a settings table has for a size: 0 or 1 is none.
constexpr std::uint64_t divisions_for(std::uint64_t size, const AllocatorSettings& settings) {
  const auto& table = settings.roundup_power2_divisions;
  const int log2_mib = static_cast<int>(std::bit_width(size >> 20U)) - 1;
  if (log2_mib < 0) return table.front();
  return table[std::min(static_cast<std::size_t>(log2_mib), table.size() - 1)];
}

/// The next of `divisions` equal steps between two powers of two.
constexpr std::uint64_t round_to_division(std::uint64_t size, std::uint64_t divisions) {
  if (std::has_single_bit(size)) return size;
  const std::uint64_t power = std::bit_floor(size);
  const std::uint64_t step = power >> (std::bit_width(divisions) - 1);
  return step == 0 ? power << 1U : (size + step - 1) & ~(step - 1);
}

/// The next multiple of min_block_size.
constexpr std::uint64_t round_up_to_block(std::uint64_t bytes) {
  return (bytes + min_block_size - 1) & ~(min_block_size - 1);
}

/// Block size for a request of `bytes` (above 0).
constexpr std::uint64_t round_size(std::uint64_t bytes, const AllocatorSettings& settings) {
  if (bytes < min_block_size) return min_block_size;
  const std::uint64_t divisions = divisions_for(bytes, settings);
  if (divisions > 1 && bytes > min_block_size * divisions) return round_to_division(bytes, divisions);
  return round_up_to_block(bytes);
}

constexpr PoolKind kind_of(std::uint64_t rounded) { return rounded <= small_size ? PoolKind::small : PoolKind::large; }

/// Size of the segment to obtain for a block of `rounded` bytes.
constexpr std::uint64_t segment_size_for(std::uint64_t rounded, const AllocatorSettings& settings) {
  if (rounded <= small_size) return small_segment_size;
  if (rounded < min_large_segment) return settings.large_segment_size;
  return round_up(rounded, segment_granularity);
}

/// Limits on reusing and splitting big blocks; see AllocatorSettings.
struct SplitPolicy {
  std::uint64_t max_split_size = AllocatorSettings::unlimited;
  std::uint64_t max_non_split_rounding = AllocatorSettings::default_large_segment_size;
  bool expandable_segments = false;
};

/// Whether the best fit of `block_size` bytes may serve a request of `rounded` bytes.
constexpr bool may_serve(std::uint64_t block_size, std::uint64_t rounded, const SplitPolicy& policy) {
  if (rounded < policy.max_split_size) return block_size < policy.max_split_size;
  return block_size < rounded + policy.max_non_split_rounding;
}

/// Whether the rest of a block becomes a free block of its own.
constexpr bool should_split(PoolKind kind, std::uint64_t block_size, std::uint64_t rounded, const SplitPolicy& policy) {
  const std::uint64_t rest = block_size - rounded;
  if (kind == PoolKind::small || policy.expandable_segments) return rest >= min_block_size;
  return rounded < policy.max_split_size && rest > small_size;
}

}  // namespace gpucheck::runtime
