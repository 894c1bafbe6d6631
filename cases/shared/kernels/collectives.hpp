#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cases/shared/kernels/support/spread_counter.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/mix.hpp"
#include "device/kernels/support/storage.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/libraries/collective.hpp"
#include "device/values/kernel.hpp"

/// What ranks send to each other in tests, and what must arrive: whole numbers that follow from the rank and the
/// element, small enough for every partial sum to be exact in the type, in whatever order it is added up.
namespace gpucheck::device::kernels {

/// What each rank contributes.
struct Contributions {
  std::uint64_t seed = 0;
  std::int32_t largest = 1;  ///< from its negative to this

  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int64_t at(std::uint64_t rank, std::uint64_t element) const {
    const std::uint64_t drawn = mix(seed ^ mix(element) ^ ((rank + 1) * 0xA0761D6478BD642FU)) >> 32U;
    const auto choices = 2 * static_cast<std::uint64_t>(largest) + 1;
    return static_cast<std::int64_t>(drawn * choices >> 32U) - largest;
  }
};

/// Writes what a rank contributes, from element `first` on.
template <typename T>
struct WriteContributions {
  static constexpr std::string_view name = "write_contributions";
  T* out;
  std::uint64_t count;
  std::uint64_t first;
  std::uint64_t rank;
  Contributions contributions;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {writes(out, count * sizeof(T))}; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    for (std::uint64_t at = thread.index; at < count; at += thread.count) {
      out[at] = to_element<T>(contributions.at(rank, first + at));
    }
  }
};

/// What comparisons found. Zeros before the first.
struct ContributionFindings {
  SpreadCounter compared_bytes;
  std::uint64_t mismatches = 0;  ///< elements
  // The first wrong one.
  std::uint64_t element = 0;
  std::int64_t expected = 0;
  double seen = 0;
};

/// Compares, bit for bit, with the reduction of what `rank_count` ranks contribute, from element `first` on.
template <typename T>
struct CompareContributions {
  static constexpr std::string_view name = "compare_contributions";
  const T* in;
  std::uint64_t count;
  std::uint64_t first;
  std::uint64_t first_rank;
  std::uint64_t rank_count;
  Reduction reduction;
  Contributions contributions;
  ContributionFindings* findings;

  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, count * sizeof(T)), updates(findings, sizeof(*findings))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    std::uint64_t compared = 0;
    for (std::uint64_t at = thread.index; at < count; at += thread.count) {
      const T seen = in[at];
      const std::int64_t expected = reduced(first + at);
      if (!is_same(seen, to_element<T>(expected))) keep(thread, first + at, expected, seen);
      compared += sizeof(T);
    }
    findings->compared_bytes.add(thread, compared);
  }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int64_t reduced(std::uint64_t element) const {
    std::int64_t value = contributions.at(first_rank, element);
    for (std::uint64_t rank = first_rank + 1; rank < first_rank + rank_count; ++rank) {
      const std::int64_t other = contributions.at(rank, element);
      if (reduction == Reduction::sum) {
        value += other;
      } else if ((reduction == Reduction::minimum) == (other < value)) {
        value = other;
      }
    }
    return value;
  }
  GPUCHECK_HOST_DEVICE static bool is_same(const T& one, const T& other) {
    const auto* left = reinterpret_cast<const unsigned char*>(&one);
    const auto* right = reinterpret_cast<const unsigned char*>(&other);
    bool same = true;
    for (std::size_t i = 0; i < sizeof(T); ++i) same = same && left[i] == right[i];
    return same;
  }
  GPUCHECK_HOST_DEVICE void keep(const Thread& thread, std::uint64_t element, std::int64_t expected,
                                 const T& seen) const {
    if (thread.atomic_add(&findings->mismatches, 1) != 0) return;
    findings->element = element;
    findings->expected = expected;
    findings->seen = to_number<double>(seen);
  }
};

namespace families {
using collectives =
    Family<WriteContributions<double>, WriteContributions<float>, WriteContributions<Half>,
           WriteContributions<BFloat16>, WriteContributions<Float8E4M3>, WriteContributions<Float8E5M2>,
           WriteContributions<std::int8_t>, WriteContributions<std::int32_t>, CompareContributions<double>,
           CompareContributions<float>, CompareContributions<Half>, CompareContributions<BFloat16>,
           CompareContributions<Float8E4M3>, CompareContributions<Float8E5M2>, CompareContributions<std::int8_t>,
           CompareContributions<std::int32_t>>;
}
template <typename Functor>
requires(families::collectives::has<Functor>) struct FamilyOf<Functor> : families::collectives {
};

}  // namespace gpucheck::device::kernels
