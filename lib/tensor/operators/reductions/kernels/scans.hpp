#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "tensor/iterator/reduction_kernels.hpp"

namespace gpucheck::device::kernels {

/// The sums, or products, of each row's elements up to each of them. A thread has neighbouring elements of a row, whose
/// sum it finds first; then it goes over them again with the sum of all before. `out` may be `in`. Launch with
/// `block()` and `invocations()`.
template <typename Number>
struct Scan {
  static constexpr std::string_view name = "scan";
  static constexpr unsigned phases = 3;
  const void* in;
  DType in_dtype;
  void* out;
  DType out_dtype;
  bool multiplies;
  std::int64_t rows;
  std::int64_t length;      ///< of each row
  std::int64_t out_stride;  ///< along a row, in bytes
  std::int64_t in_stride;
  ReductionShape shape;
  WidePlan<2> over_rows;  ///< operand 0: out, 1: in

  [[nodiscard]] std::size_t invocations() const { return shape.invocations(rows); }
  [[nodiscard]] BlockShape block() const {
    return {.threads = shape.threads(), .shared_bytes = shape.threads() * sizeof(Number)};
  }
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {over_rows.access_with(AccessMode::read, in, in_dtype, 1, length, in_stride),
            over_rows.access_with(AccessMode::write, out, out_dtype, 0, length, out_stride)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    const ReductionShape::Part part = shape.part_of(thread);
    if (part.result >= rows) return;
    Number* const sums = static_cast<Number*>(thread.shared) + part.local * shape.lanes;
    if (phase == 0) {
      sums[part.lane] = sum_of_lane(part);
    } else if (phase == 1) {
      if (part.lane == 0) sum_before_each(sums);
    } else {
      write_lane(part, sums[part.lane]);
    }
  }
  /// On a host: one element after the other. The shape must have one lane.
  void run_whole_on_host() const {
    for (std::int64_t row = 0; row < rows; ++row)
      write_lane({.result = row, .slice = 0, .local = 0, .lane = 0}, start());
  }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE Number start() const { return multiplies ? Number{1} : Number{}; }
  [[nodiscard]] GPUCHECK_HOST_DEVICE Number combine(Number a, Number b) const {
    if constexpr (std::is_same_v<Number, std::int64_t>) {
      // Whole numbers wrap around.
      const auto one = static_cast<std::uint64_t>(a);
      const auto other = static_cast<std::uint64_t>(b);
      return static_cast<std::int64_t>(multiplies ? one * other : one + other);
    } else {
      return multiplies ? a * b : a + b;
    }
  }
  struct Segment {
    std::byte* out;
    const std::byte* in;
    std::int64_t begin;
    std::int64_t end;
  };
  [[nodiscard]] GPUCHECK_HOST_DEVICE Segment segment_of(const ReductionShape::Part& part) const {
    std::int64_t offsets[2];
    over_rows.offsets(part.result, offsets);
    const std::int64_t share = (length + shape.lanes - 1) / shape.lanes;
    const std::int64_t begin = part.lane * share;
    return {static_cast<std::byte*>(out) + offsets[0], static_cast<const std::byte*>(in) + offsets[1], begin,
            begin + share < length ? begin + share : length};
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE Number sum_of_lane(const ReductionShape::Part& part) const {
    const Segment segment = segment_of(part);
    Number sum = start();
    for (std::int64_t i = segment.begin; i < segment.end; ++i) {
      sum = combine(sum, load_as<Number>(segment.in + i * in_stride, in_dtype));
    }
    return sum;
  }
  GPUCHECK_HOST_DEVICE void sum_before_each(Number* sums) const {
    Number before = start();
    for (unsigned lane = 0; lane < shape.lanes; ++lane) {
      const Number sum = combine(before, sums[lane]);
      sums[lane] = before;
      before = sum;
    }
  }
  GPUCHECK_HOST_DEVICE void write_lane(const ReductionShape::Part& part, Number sum) const {
    const Segment segment = segment_of(part);
    for (std::int64_t i = segment.begin; i < segment.end; ++i) {
      sum = combine(sum, load_as<Number>(segment.in + i * in_stride, in_dtype));
      store_as(segment.out + i * out_stride, out_dtype, sum);
    }
  }
};

namespace families {
using scans = Family<Scan<float>, Scan<double>, Scan<std::int64_t>, Scan<Complex<float>>, Scan<Complex<double>>>;
}
template <typename Functor>
requires(families::scans::has<Functor>) struct FamilyOf<Functor> : families::scans {
};

}  // namespace gpucheck::device::kernels
