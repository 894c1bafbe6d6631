#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/poisson.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

/// A stable sort of keys with their values, a digit at a time from the lowest, and what makes a
/// permutation of it.
namespace gpucheck::device::kernels {

inline constexpr unsigned digit_bits = 4;
inline constexpr unsigned digit_values = 1U << digit_bits;

/// One digit of keys that are cut into parts of equal size, but for the last.
template <typename Key>
struct Digit {
  const Key* keys;
  std::size_t elements;
  std::size_t part;
  unsigned shift;
  Key mask;  ///< of the digit's bits that count
  Key flip;  ///< bits that count the other way: a sign's

  [[nodiscard]] GPUCHECK_HOST_DEVICE unsigned of(std::size_t index) const {
    return static_cast<unsigned>(((keys[index] ^ flip) >> shift) & mask);
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::size_t end_of_part(std::size_t number) const {
    const std::size_t end = (number + 1) * part;
    return end < elements ? end : elements;
  }
  [[nodiscard]] MemoryAccess access() const { return reads(keys, elements * sizeof(Key)); }
};

/// counts[digit * parts + p] = keys of part p with that digit; one invocation for each part.
template <typename Key>
struct CountDigits {
  static constexpr std::string_view name = "count_digits";
  Digit<Key> digit;
  std::uint64_t* counts;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t parts) const {
    return {digit.access(), writes(counts, digit_values * parts * sizeof(*counts))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    for (unsigned value = 0; value < digit_values; ++value) counts[value * thread.count + thread.index] = 0;
    for (std::size_t i = thread.index * digit.part; i < digit.end_of_part(thread.index); ++i) {
      ++counts[digit.of(i) * thread.count + thread.index];
    }
  }
};

/// counts[i] becomes the sum of all before it. One block.
struct AccumulateCounts {
  static constexpr std::string_view name = "accumulate_counts";
  static constexpr unsigned phases = 3;
  static constexpr unsigned threads = 256;
  std::uint64_t* counts;
  std::size_t elements;
  [[nodiscard]] static BlockShape block() { return {threads, threads * sizeof(std::uint64_t)}; }
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {updates(counts, elements * sizeof(*counts))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const sums = static_cast<std::uint64_t*>(thread.shared);
    const std::size_t share = (elements + threads - 1) / threads;
    const std::size_t first = thread.index * share;
    if (phase == 0) {
      std::uint64_t sum = 0;
      for (std::size_t i = first; i < first + share && i < elements; ++i) sum += counts[i];
      sums[thread.index] = sum;
    } else if (phase == 1) {
      if (thread.index == 0) accumulate(sums, 0, thread.threads, 0);
    } else if (first < elements) {
      accumulate(counts, first, first + share < elements ? first + share : elements, sums[thread.index]);
    }
  }
  GPUCHECK_HOST_DEVICE static void accumulate(std::uint64_t* numbers, std::size_t first, std::size_t end,
                                              std::uint64_t before) {
    for (std::size_t i = first; i < end; ++i) {
      const std::uint64_t number = numbers[i];
      numbers[i] = before;
      before += number;
    }
  }
};

/// Moves keys and values to where their digit belongs, in the order in which they stand; one
/// invocation for each part. `places` counts up.
template <typename Key>
struct MoveByDigit {
  static constexpr std::string_view name = "move_by_digit";
  Digit<Key> digit;
  const std::int64_t* values;
  std::uint64_t* places;
  Key* moved_keys;
  std::int64_t* moved_values;
  [[nodiscard]] std::array<MemoryAccess, 5> accesses(std::size_t parts) const {
    return {digit.access(), reads(values, digit.elements * sizeof(*values)),
            updates(places, digit_values * parts * sizeof(*places)), writes(moved_keys, digit.elements * sizeof(Key)),
            writes(moved_values, digit.elements * sizeof(*moved_values))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    for (std::size_t i = thread.index * digit.part; i < digit.end_of_part(thread.index); ++i) {
      const std::uint64_t place = places[digit.of(i) * thread.count + thread.index]++;
      moved_keys[place] = digit.keys[i];
      moved_values[place] = values[i];
    }
  }
};

/// Shuffles the values whose keys are equal in the bits of `mask`, among sorted keys: the
/// invocation of the first of them, with the sequence of its place.
template <typename Key>
struct ShuffleEqualKeys {
  static constexpr std::string_view name = "shuffle_equal_keys";
  const Key* keys;
  std::int64_t* values;
  Key mask;
  PhiloxStart random;
  [[nodiscard]] std::array<MemoryAccess, 4> accesses(std::size_t count) const {
    return {reads(keys, count * sizeof(Key)), updates(values, count * sizeof(*values)), random.seed_access(),
            random.offset_access()};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t first = thread.index;
    const auto equal = [this](std::size_t a, std::size_t b) { return ((keys[a] ^ keys[b]) & mask) == 0; };
    if (first + 1 >= thread.count || !equal(first, first + 1) || (first > 0 && equal(first, first - 1))) return;
    std::size_t size = 2;
    while (first + size < thread.count && equal(first, first + size)) ++size;
    PhiloxSequence words(random.key(), first, random.position());
    for (std::size_t i = size - 1; i > 0; --i) {
      const std::size_t other = words.next() % static_cast<std::uint32_t>(i + 1);
      const std::int64_t value = values[first + i];
      values[first + i] = values[first + other];
      values[first + other] = value;
    }
  }
};

/// keys[i] orders like values[i] from the greatest to the least; values are at least 0.
template <typename T>
struct DescendingKeys {
  using Key = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::string_view name = "descending_keys";
  const T* values;
  Key* keys;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(values, count * sizeof(T)), writes(keys, count * sizeof(Key))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    Key bits = 0;
    memcpy(&bits, &values[thread.index], sizeof(bits));
    keys[thread.index] = static_cast<Key>(~bits);
  }
};

namespace families {
using sorting = Family<CountDigits<std::uint32_t>, CountDigits<std::uint64_t>, AccumulateCounts,
                       MoveByDigit<std::uint32_t>, MoveByDigit<std::uint64_t>, ShuffleEqualKeys<std::uint32_t>,
                       ShuffleEqualKeys<std::uint64_t>, DescendingKeys<float>, DescendingKeys<double>>;
}
template <typename Functor>
requires(families::sorting::has<Functor>) struct FamilyOf<Functor> : families::sorting {
};

}  // namespace gpucheck::device::kernels
