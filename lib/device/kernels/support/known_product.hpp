#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernels/support/mix.hpp"
#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// Two matrices of whole numbers whose product is known without multiplying them. They look
/// random, but each column of A (row of B) belongs to one of nine classes:
///
///     A(row, l) = a(row, class of l),   B(l, column) = sign of l * b(class of l, column)
///
/// The first nine depths are one of each class, with a positive sign. Of the others, those of the
/// first half have a class at random and a positive sign, and those of the second half the same
/// classes again with a negative one, so that they cancel once all are added up, and not before.
/// A's last column is zero. What remains is
///
///     D(row, column) = sum over the nine classes of a(row, class) * b(class, column)
///
/// All a and b are odd numbers up to `magnitude`, times a power of two that a row or column has
/// to itself. D is nine odd numbers' sum times a power of two, so never 0, whose sign would hang
/// on how it came about. Any sum of any of the products, in any order, is a whole number (times
/// that power) of at most depth * magnitude^2: where a type's sums hold numbers of that size
/// exactly, each order of summation gives the same bits.
struct KnownProduct {
  static constexpr unsigned classes = 9;

  std::uint64_t seed = 0;
  std::size_t depth = 0;       ///< of the sums: even, and at least 10
  std::int32_t magnitude = 1;  ///< odd
  unsigned powers = 1;         ///< rows and columns are multiplied by 2^0 up to 2^(powers - 1)

  /// The class that a depth below depth - 1 has.
  [[nodiscard]] GPUCHECK_HOST_DEVICE unsigned class_of(std::size_t l) const {
    if (l < classes) return static_cast<unsigned>(l);
    const std::size_t half = (depth - 1 - classes) / 2;
    const std::size_t in_half = l - classes < half ? l : l - half;
    return static_cast<unsigned>(mix(seed + in_half) % classes);
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t sign_of(std::size_t l) const {
    return l < classes + (depth - 1 - classes) / 2 ? 1 : -1;
  }

  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t a_of_class(std::size_t row, unsigned of_class) const {
    return factor(seed ^ 0xA5A5A5A5U, row, of_class);
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t b_of_class(std::size_t column, unsigned of_class) const {
    return factor(seed ^ 0xB6B6B6B6U, column, of_class);
  }

  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t a(std::size_t row, std::size_t l) const {
    return l + 1 < depth ? a_of_class(row, class_of(l)) : 0;
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t b(std::size_t l, std::size_t column) const {
    return l + 1 < depth ? sign_of(l) * b_of_class(column, class_of(l)) : magnitude;
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int64_t d(std::size_t row, std::size_t column) const {
    std::int64_t sum = 0;
    for (unsigned i = 0; i < classes; ++i) {
      sum += std::int64_t{a_of_class(row, i)} * std::int64_t{b_of_class(column, i)};
    }
    return sum;
  }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int32_t factor(std::uint64_t key, std::size_t line, unsigned of_class) const {
    const auto range = static_cast<std::uint64_t>(magnitude) + 1;  // of odd numbers from -magnitude on
    const std::uint64_t drawn = mix(mix(key + line) + of_class);
    const auto odd = static_cast<std::int32_t>(drawn % range) * 2 - magnitude;
    return odd * static_cast<std::int32_t>(1U << (mix(key ^ ~std::uint64_t{line}) % powers));
  }
};

}  // namespace gpucheck::device::kernels
