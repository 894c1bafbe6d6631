#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/known_product.hpp"
#include "device/kernels/support/mix.hpp"
#include "device/kernels/support/storage.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/values/kernel.hpp"

/// Operands of products of matrices, and what checks the products.
namespace gpucheck::device::kernels {

/// A or B of a known product, with the elements of a sum side by side: A transposed, or B as it
/// is. One invocation for each element of `lines` times `known.depth`.
template <typename T>
struct FillKnownOperand {
  static constexpr std::string_view name = "fill_known_operand";
  T* out;
  std::size_t leading;
  bool is_b;
  KnownProduct known;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, ((count / known.depth - 1) * leading + known.depth) * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t line = thread.index / known.depth;
    const std::size_t l = thread.index % known.depth;
    out[line * leading + l] = to_element<T>(is_b ? known.b(l, line) : known.a(line, l));
  }
};

/// The factors of a known product: of A's rows, class after class, so that threads with rows side
/// by side read side by side; of B's columns, column after column. One invocation for each factor.
struct FillKnownFactors {
  static constexpr std::string_view name = "fill_known_factors";
  std::int32_t* out;
  std::size_t lines;
  bool is_b;
  KnownProduct known;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, count * sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    if (is_b) {
      out[thread.index] = known.b_of_class(thread.index / KnownProduct::classes,
                                           static_cast<unsigned>(thread.index % KnownProduct::classes));
    } else {
      out[thread.index] = known.a_of_class(thread.index % lines, static_cast<unsigned>(thread.index / lines));
    }
  }
};

/// What was found in products.
struct ProductTally {
  std::uint64_t checked = 0;  ///< elements
  std::uint64_t wrong = 0;    ///< bits that differ, not-a-number and infinite ones among them
  std::uint64_t not_a_number = 0;
  std::uint64_t infinite = 0;
};

namespace detail {

/// The bits of an element, and which of them are its exponent; none of an integer's.
template <typename T>
struct Bits;
template <>
struct Bits<double> {
  using Word = std::uint64_t;
  static constexpr Word exponent = 0x7FF0000000000000U;
};
template <>
struct Bits<float> {
  using Word = std::uint32_t;
  static constexpr Word exponent = 0x7F800000U;
};
template <>
struct Bits<Half> {
  using Word = std::uint16_t;
  static constexpr Word exponent = 0x7C00U;
};
template <>
struct Bits<BFloat16> {
  using Word = std::uint16_t;
  static constexpr Word exponent = 0x7F80U;
};
template <>
struct Bits<std::int32_t> {
  using Word = std::uint32_t;
  static constexpr Word exponent = 0;
};

template <typename T>
GPUCHECK_HOST_DEVICE typename Bits<T>::Word word_of(const T& element) {
  typename Bits<T>::Word word = 0;
  memcpy(&word, &element, sizeof(word));
  return word;
}

}  // namespace detail

/// Compares each element of D with the known product, bit for bit. Invocations with rows side by
/// side read side by side; each goes through `columns_of_each` columns and adds what it found to
/// one of `slots` tallies, so that few meet at one. Launch with `count()`.
template <typename T>
struct CheckKnownProduct {
  using Sum = std::conditional_t<std::is_same_v<T, double>, std::int64_t, std::int32_t>;
  static constexpr std::string_view name = "check_known_product";
  static constexpr std::size_t columns_of_each = 128;
  static constexpr std::size_t slots = 1024;
  /// Wrong elements are also counted for each square of D.
  static constexpr std::size_t tile = 128;

  const T* d;
  std::size_t rows;
  std::size_t columns;
  std::size_t leading;
  const std::int32_t* row_factors;
  const std::int32_t* column_factors;
  ProductTally* tallies;
  std::uint64_t* wrong_in_tiles;  ///< `tiles_over(rows)` of them for each 128 columns

  GPUCHECK_HOST_DEVICE static constexpr std::size_t tiles_over(std::size_t elements) {
    return (elements + tile - 1) / tile;
  }
  [[nodiscard]] std::size_t count() const { return rows * ((columns + columns_of_each - 1) / columns_of_each); }
  [[nodiscard]] std::array<MemoryAccess, 5> accesses(std::size_t) const {
    return {reads(d, ((columns - 1) * leading + rows) * sizeof(T)),
            reads(row_factors, rows * KnownProduct::classes * sizeof(*row_factors)),
            reads(column_factors, columns * KnownProduct::classes * sizeof(*column_factors)),
            updates(tallies, slots * sizeof(*tallies)),
            updates(wrong_in_tiles, tiles_over(rows) * tiles_over(columns) * sizeof(*wrong_in_tiles))};
  }

  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t row = thread.index % rows;
    const std::size_t first = thread.index / rows * columns_of_each;
    const std::size_t end = first + columns_of_each < columns ? first + columns_of_each : columns;
    Sum of_row[KnownProduct::classes];
    for (unsigned i = 0; i < KnownProduct::classes; ++i) of_row[i] = row_factors[i * rows + row];
    ProductTally found{.checked = end - first};
    for (std::size_t column = first; column < end; ++column) {
      Sum sum = 0;
      for (unsigned i = 0; i < KnownProduct::classes; ++i) {
        sum += of_row[i] * static_cast<Sum>(column_factors[column * KnownProduct::classes + i]);
      }
      const auto seen = detail::word_of(d[column * leading + row]);
      if (seen != detail::word_of(to_element<T>(sum))) count_wrong(thread, found, seen, row, column);
    }
    ProductTally& tally = tallies[thread.index % slots];
    thread.atomic_add(&tally.checked, found.checked);
    if (found.wrong == 0) return;
    thread.atomic_add(&tally.wrong, found.wrong);
    thread.atomic_add(&tally.not_a_number, found.not_a_number);
    thread.atomic_add(&tally.infinite, found.infinite);
  }

  GPUCHECK_HOST_DEVICE void count_wrong(const Thread& thread, ProductTally& found, typename detail::Bits<T>::Word seen,
                                        std::size_t row, std::size_t column) const {
    using Word = typename detail::Bits<T>::Word;
    constexpr Word exponent = detail::Bits<T>::exponent;
    constexpr Word sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
    ++found.wrong;
    if (exponent != 0 && (seen & exponent) == exponent) {
      const bool is_infinite = static_cast<Word>(seen & ~sign) == exponent;
      ++(is_infinite ? found.infinite : found.not_a_number);
    }
    thread.atomic_add(&wrong_in_tiles[column / tile * tiles_over(rows) + row / tile], 1);
  }
};

/// Numbers much like those of the normal distribution: four uniform ones added up, with a mean of
/// 0 and a deviation of 1 (of 36 for int8, whose whole range is used then). Made of whole numbers
/// alone, so that they are the same on every device.
template <typename T>
struct FillNormal {
  static constexpr std::string_view name = "fill_normal";
  T* out;
  std::uint64_t seed;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, count * sizeof(T))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::uint64_t drawn = mix(mix(seed) + thread.index);
    constexpr std::uint64_t low = 0xFFFF;
    const auto sum =
        static_cast<std::int32_t>((drawn & low) + ((drawn >> 16U) & low) + ((drawn >> 32U) & low) + (drawn >> 48U));
    constexpr std::int32_t mean = 131070;              // 4 * 65535 / 2
    constexpr double inverse_deviation = 1 / 37837.0;  // sqrt(4 * 65536^2 / 12)
    if constexpr (std::is_same_v<T, std::int8_t>) {
      out[thread.index] = static_cast<std::int8_t>((sum - mean) / 1040);  // from -126 to 126
    } else if constexpr (std::is_same_v<T, double>) {
      out[thread.index] = static_cast<double>(sum - mean) * inverse_deviation;
    } else {
      out[thread.index] = to_element<T>(static_cast<float>(sum - mean) * static_cast<float>(inverse_deviation));
    }
  }
};

/// *digest += a number for each word that depends on its place too. Whatever order threads take, the
/// sum is the same. Each thread takes every n-th word. Shared memory: 8 bytes a thread.
struct DigestWords {
  static constexpr std::string_view name = "digest_words";
  static constexpr unsigned phases = 2;
  const std::uint64_t* in;
  std::size_t words;
  std::uint64_t* digest;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, words * sizeof(*in)), updates(digest, sizeof(*digest))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    auto* const sums = static_cast<std::uint64_t*>(thread.shared);
    std::uint64_t sum = 0;
    if (phase == 0) {
      const std::size_t step = thread.blocks * thread.threads_per_block;
      for (std::size_t at = thread.global_index(); at < words; at += step) sum += mix(mix(at) ^ in[at]);
      sums[thread.index] = sum;
    } else if (thread.index == 0) {
      for (unsigned i = 0; i < thread.threads; ++i) sum += sums[i];
      thread.atomic_add(digest, sum);
    }
  }
};

/// How often a digest was compared, and was another.
struct DigestTally {
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
};

/// Compares a digest with the first one. Launch with a count of 1.
struct CompareDigests {
  static constexpr std::string_view name = "compare_digests";
  const std::uint64_t* digest;
  const std::uint64_t* first;
  DigestTally* tally;
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    return {reads(digest, sizeof(*digest)), reads(first, sizeof(*first)), updates(tally, sizeof(*tally))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const {
    ++tally->compared;
    if (*digest != *first) ++tally->different;
  }
};

namespace families {
using products =
    Family<FillKnownFactors, FillKnownOperand<double>, FillKnownOperand<float>, FillKnownOperand<Half>,
           FillKnownOperand<BFloat16>, FillKnownOperand<Float8E4M3>, FillKnownOperand<Float8E5M2>,
           FillKnownOperand<std::int8_t>, CheckKnownProduct<double>, CheckKnownProduct<float>, CheckKnownProduct<Half>,
           CheckKnownProduct<BFloat16>, CheckKnownProduct<std::int32_t>, FillNormal<double>, FillNormal<float>,
           FillNormal<Half>, FillNormal<BFloat16>, FillNormal<Float8E4M3>, FillNormal<Float8E5M2>,
           FillNormal<std::int8_t>, DigestWords, CompareDigests>;
}
template <typename Functor>
requires(families::products::has<Functor>) struct FamilyOf<Functor> : families::products {
};

}  // namespace gpucheck::device::kernels
