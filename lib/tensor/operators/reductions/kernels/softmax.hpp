#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "tensor/iterator/magnitudes.hpp"
#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// Sums of exponentials that do not overflow: of e^(x - largest) over the elements x.
template <typename Number>
struct ExponentialSum {
  Number largest = -std::numeric_limits<Number>::infinity();
  Number sum = 0;

  GPUCHECK_HOST_DEVICE void add(Number x) {
    if (x <= largest) {
      sum += x == largest ? Number{1} : std::exp(x - largest);
    } else {
      // NaN, too: the sum becomes it.
      sum = sum == 0 ? Number{1} : sum * std::exp(largest - x) + 1;
      largest = x;
    }
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE GPUCHECK_SHARED_CODE ExponentialSum joined(const ExponentialSum& other) const {
    if (other.sum == 0) return *this;
    if (sum == 0) return other;
    const bool is_less = largest < other.largest;
    const ExponentialSum& high = is_less ? other : *this;
    const ExponentialSum& low = is_less ? *this : other;
    ExponentialSum all = high;
    all.sum += low.largest == high.largest ? low.sum : low.sum * std::exp(low.largest - high.largest);
    return all;
  }
};

/// The logarithm of the sum of all elements' exponentials.
template <typename Number>
struct LogOfExponentialSum {
  static constexpr std::string_view name = "logsumexp";
  using Accumulated = ExponentialSum<Number>;
  GPUCHECK_HOST_DEVICE Accumulated identity() const { return {}; }
  GPUCHECK_HOST_DEVICE Accumulated take(Number element, std::int64_t) const { return {element, 1}; }
  GPUCHECK_HOST_DEVICE Accumulated combine(const Accumulated& a, const Accumulated& b) const { return a.joined(b); }
  GPUCHECK_HOST_DEVICE Number finish(const Accumulated& all) const { return all.largest + std::log(all.sum); }
};

/// The same of complex numbers: the sum of e^(z - the largest real part).
template <typename Real>
struct LogOfExponentialSum<Complex<Real>> {
  static constexpr std::string_view name = "logsumexp";
  struct Accumulated {
    Real largest = -std::numeric_limits<Real>::infinity();
    Complex<Real> sum{};
    bool has_one = false;
  };
  GPUCHECK_HOST_DEVICE Accumulated identity() const { return {}; }
  GPUCHECK_HOST_DEVICE GPUCHECK_SHARED_CODE Accumulated take(Complex<Real> z, std::int64_t) const {
    return {z.real, {std::cos(z.imaginary), std::sin(z.imaginary)}, true};
  }
  GPUCHECK_HOST_DEVICE GPUCHECK_SHARED_CODE Accumulated combine(const Accumulated& a, const Accumulated& b) const {
    if (!b.has_one) return a;
    if (!a.has_one) return b;
    Accumulated all = a.largest < b.largest ? b : a;
    const Accumulated& low = a.largest < b.largest ? a : b;
    const Real by = low.largest == all.largest ? Real{1} : std::exp(low.largest - all.largest);
    all.sum = all.sum + scaled(low.sum, by);
    return all;
  }
  GPUCHECK_HOST_DEVICE Complex<Real> finish(const Accumulated& all) const {
    return {all.largest + std::log(magnitude(all.sum)), std::atan2(all.sum.imaginary, all.sum.real)};
  }
};

/// e^x / sum of e^x over each row, or the logarithm of that. A row's elements are read from memory once for the sum,
/// and once more, mostly from a cache, for the results. T is how elements of both tensors are stored, void where that
/// is known when the program runs. Launch with `block()` and `invocations()`.
template <typename Number, typename T>
struct Softmax {
  static constexpr std::string_view name = "softmax";
  static constexpr unsigned phases = 4;
  using Sum = ExponentialSum<Number>;
  const void* in;
  DType in_dtype;
  void* out;
  DType out_dtype;
  bool of_logarithm;
  std::int64_t rows;
  std::int64_t length;      ///< of each row
  std::int64_t out_stride;  ///< along a row, in bytes
  std::int64_t in_stride;
  ReductionShape shape;
  WidePlan<2> over_rows;  ///< operand 0: out, 1: in

  [[nodiscard]] std::size_t invocations() const { return shape.invocations(rows); }
  [[nodiscard]] BlockShape block() const {
    return {.threads = shape.threads(), .shared_bytes = shape.threads() * sizeof(Sum)};
  }
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {over_rows.access_with(AccessMode::read, in, in_dtype, 1, length, in_stride),
            over_rows.access_with(AccessMode::write, out, out_dtype, 0, length, out_stride)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    const ReductionShape::Part part = shape.part_of(thread);
    if (part.result >= rows) return;
    Sum* const sums = static_cast<Sum*>(thread.shared) + part.local * shape.lanes;
    if (phase == 0) {
      sums[part.lane] = sum_of_lane(part.result, part.lane);
    } else if (phase == 3) {
      write_lane(part.result, part.lane, sums[0]);
    } else {
      combine_lanes(sums, part.lane, shape.lanes, phase, [](const Sum& a, const Sum& b) { return a.joined(b); });
    }
  }
  /// On a host: one row after the other. The shape must have one lane.
  void run_whole_on_host() const {
    for (std::int64_t row = 0; row < rows; ++row) write_lane(row, 0, sum_of_lane(row, 0));
  }

 private:
  static constexpr std::int64_t vector_width = [] {
    if constexpr (std::is_void_v<T>) {
      return std::int64_t{1};
    } else {
      return static_cast<std::int64_t>(Vector<T>::width);
    }
  }();
  struct Row {
    std::byte* out;
    const std::byte* in;
    bool has_vectors;  ///< both without gaps, and whole vectors
  };
  [[nodiscard]] GPUCHECK_HOST_DEVICE Row row_of(std::int64_t number) const {
    std::int64_t offsets[2];
    over_rows.offsets(number, offsets);
    Row row{static_cast<std::byte*>(out) + offsets[0], static_cast<const std::byte*>(in) + offsets[1], false};
    if constexpr (!std::is_void_v<T>) {
      row.has_vectors = in_stride == sizeof(T) && out_stride == sizeof(T) && length % vector_width == 0 &&
                        has_whole_vectors(reinterpret_cast<const T*>(row.in)) &&
                        has_whole_vectors(reinterpret_cast<const T*>(row.out));
    }
    return row;
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE Number load(const std::byte* at) const {
    if constexpr (std::is_void_v<T>) {
      return load_as<Number>(at, in_dtype);
    } else {
      return convert_element<Number>(*reinterpret_cast<const T*>(at));
    }
  }
  GPUCHECK_HOST_DEVICE void store(std::byte* at, Number number) const {
    if constexpr (std::is_void_v<T>) {
      store_as(at, out_dtype, number);
    } else {
      *reinterpret_cast<T*>(at) = convert_element<T>(number);
    }
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE Sum sum_of_lane(std::int64_t number, unsigned lane) const {
    const Row row = row_of(number);
    Sum sum;
    if constexpr (!std::is_void_v<T>) {
      if (row.has_vectors) {
        const auto* const vectors = reinterpret_cast<const Vector<T>*>(row.in);
        for (std::int64_t i = lane; i < length / vector_width; i += shape.lanes) {
          const Vector<T> vector = vectors[i];
          for (const T& element : vector.lanes) sum.add(convert_element<Number>(element));
        }
        return sum;
      }
    }
    for (std::int64_t i = lane; i < length; i += shape.lanes) sum.add(load(row.in + i * in_stride));
    return sum;
  }
  GPUCHECK_HOST_DEVICE void write_lane(std::int64_t number, unsigned lane, const Sum& all) const {
    const Row row = row_of(number);
    const Number divisor = of_logarithm ? std::log(all.sum) : all.sum;
    const auto result_of = [&](Number x) {
      return of_logarithm ? x - all.largest - divisor : std::exp(x - all.largest) / divisor;
    };
    if constexpr (!std::is_void_v<T>) {
      if (row.has_vectors) {
        const auto* const vectors = reinterpret_cast<const Vector<T>*>(row.in);
        auto* const results = reinterpret_cast<Vector<T>*>(row.out);
        for (std::int64_t i = lane; i < length / vector_width; i += shape.lanes) {
          Vector<T> vector = vectors[i];
          for (T& element : vector.lanes) element = convert_element<T>(result_of(convert_element<Number>(element)));
          results[i] = vector;
        }
        return;
      }
    }
    for (std::int64_t i = lane; i < length; i += shape.lanes) {
      store(row.out + i * out_stride, result_of(load(row.in + i * in_stride)));
    }
  }
};

namespace families {
using softmax = Joined<AnyReductionFamily<LogOfExponentialSum, float, double, Complex<float>, Complex<double>>,
                       Family<Softmax<float, void>, Softmax<double, void>, Softmax<float, float>, Softmax<float, Half>,
                              Softmax<float, BFloat16>>>;
}
template <typename Functor>
requires(families::softmax::has<Functor>) struct FamilyOf<Functor> : families::softmax {
};

}  // namespace gpucheck::device::kernels
