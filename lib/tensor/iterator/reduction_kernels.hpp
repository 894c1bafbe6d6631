#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/vectors.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/iterator/wide_plan.hpp"

/// The kernel of reductions. What a reduction computes is a functor:
///
///     template <typename Number> struct Sum {
///       static constexpr std::string_view name = "sum";
///       using Accumulated = Number;
///       GPUCHECK_HOST_DEVICE Accumulated identity() const;
///       // place: along what is reduced
///       GPUCHECK_HOST_DEVICE Accumulated take(Number element, std::int64_t place) const;
///       GPUCHECK_HOST_DEVICE Accumulated combine(Accumulated a, Accumulated b) const;
///       // what is stored
///       GPUCHECK_HOST_DEVICE auto finish(Accumulated all) const;
///     };
///
/// One with `second(Accumulated all)`, too, has two results, of which that is the other one.
namespace gpucheck::device::kernels {

/// How a reduction is shared out. A block has `outputs` results at a time, each of which `lanes` threads work on; a
/// result whose elements are many is worked on by several blocks, each with one `slice` of them.
struct ReductionShape {
  unsigned outputs = 1;          ///< of each block, a power of two
  unsigned lanes = 1;            ///< a power of two; outputs times lanes threads
  bool elements_fastest = true;  ///< neighbouring threads take neighbouring elements; else neighbouring results
  std::int64_t slices = 1;
  std::int64_t slice = 0;  ///< elements of each, but for the last

  [[nodiscard]] constexpr unsigned threads() const { return outputs * lanes; }
  /// Invocations for so many results.
  [[nodiscard]] constexpr std::size_t invocations(std::int64_t results) const {
    return static_cast<std::size_t>((results + outputs - 1) / outputs * slices) * threads();
  }
  /// What a thread of a block has to do.
  struct Part {
    std::int64_t result;
    std::int64_t slice;
    unsigned local;  ///< the result, counted within the block
    unsigned lane;
  };
  [[nodiscard]] GPUCHECK_HOST_DEVICE Part part_of(const BlockThread& thread) const {
    const auto block = static_cast<std::int64_t>(thread.block);
    const unsigned local = elements_fastest ? thread.index / lanes : thread.index % outputs;
    return {.result = block / slices * outputs + local,
            .slice = block % slices,
            .local = local,
            .lane = elements_fastest ? thread.index % lanes : thread.index / outputs};
  }
};

/// Lanes of a group are combined by its first thread in phase 1, the groups by the first of all in phase 2.
/// @param values of all lanes, in which the result is the first in the end. Returns whether this thread has it now.
template <typename Value, typename Combine>
GPUCHECK_HOST_DEVICE bool combine_lanes(Value* values, unsigned lane, unsigned lanes, unsigned phase,
                                        const Combine& combine) {
  constexpr unsigned group = 16;
  const unsigned step = phase == 1 ? 1 : group;
  if (lane % group != 0 || (phase == 2 && lane != 0)) return false;
  const unsigned end = phase == 1 && lane + group < lanes ? lane + group : lanes;
  Value all = values[lane];
  for (unsigned other = lane + step; other < end; other += step) all = combine(all, values[other]);
  values[lane] = all;
  return phase == 2;
}

/// Where a reduction's results go, and where the elements of each begin.
template <typename Functor>
struct ReducedTo {
  using Accumulated = typename Functor::Accumulated;
  static constexpr bool has_second = requires(const Functor& functor, const Accumulated& all) { functor.second(all); };

  void* out;
  DType out_dtype;
  void* second;  ///< of a functor with two results
  DType second_dtype;
  std::int64_t count;  ///< of results
  Functor functor;
  WidePlan<has_second ? 3 : 2> plan;  ///< operand 0: out, 1: in, 2: second

  [[nodiscard]] std::array<MemoryAccess, 2> accesses() const {
    std::array<MemoryAccess, 2> found{plan.access(AccessMode::write, out, out_dtype, 0)};
    if constexpr (has_second) found[1] = plan.access(AccessMode::write, second, second_dtype, 2);
    return found;
  }
  /// In bytes.
  [[nodiscard]] GPUCHECK_HOST_DEVICE std::int64_t first_element_of(std::int64_t result) const {
    std::int64_t offsets[has_second ? 3 : 2];
    plan.offsets(result, offsets);
    return offsets[1];
  }
  GPUCHECK_HOST_DEVICE void store(std::int64_t result, const Accumulated& all) const {
    std::int64_t offsets[has_second ? 3 : 2];
    plan.offsets(result, offsets);
    store_as(static_cast<std::byte*>(out) + offsets[0], out_dtype, functor.finish(all));
    if constexpr (has_second) {
      store_as(static_cast<std::byte*>(second) + offsets[2], second_dtype, functor.second(all));
    }
  }
};

/// Results of a reduction of each slice, for a second one, or the results themselves where there is one slice. T is how
/// the elements are stored, void where that is known when the program runs. Launch with `block()` and `invocations()`.
template <typename Functor, typename Number, typename T>
struct Reduce {
  using Accumulated = typename Functor::Accumulated;
  static constexpr std::string_view name = Functor::name;
  static constexpr unsigned phases = 3;
  static constexpr bool is_typed = !std::is_void_v<T>;

  const void* in;
  DType in_dtype;
  Accumulated* partial;  ///< null: results are finished and stored
  std::int64_t reduced;  ///< elements of each result
  ReductionShape shape;
  ReducedTo<Functor> to;
  WidePlan<1> over_elements;

  [[nodiscard]] std::size_t invocations() const { return shape.invocations(to.count); }
  [[nodiscard]] BlockShape block() const {
    return {.threads = shape.threads(), .shared_bytes = shape.threads() * sizeof(Accumulated)};
  }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    const std::size_t rank = to.plan.rank;
    const auto size_of = [&](std::size_t i) { return i < rank ? to.plan.sizes[i] : over_elements.sizes[i - rank]; };
    const auto stride_of = [&](std::size_t i) {
      return i < rank ? to.plan.strides[i][1] : over_elements.strides[i - rank][0];
    };
    MemoryAccess read;
    if (reduced > 0) {
      read = access_of(AccessMode::read, in, element_bytes(in_dtype), rank + over_elements.rank, size_of, stride_of);
    }
    if (partial != nullptr) {
      return {read, writes(partial, static_cast<std::size_t>(to.count * shape.slices) * sizeof(Accumulated)), {}};
    }
    const auto written = to.accesses();
    return {read, written[0], written[1]};
  }

  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    const ReductionShape::Part part = shape.part_of(thread);
    if (part.result >= to.count) return;
    Accumulated* const sums = static_cast<Accumulated*>(thread.shared) + part.local * shape.lanes;
    if (phase == 0) {
      sums[part.lane] = sum_of_lane(part.result, part.slice, part.lane);
    } else if (combine_lanes(sums, part.lane, shape.lanes, phase,
                             [this](const Accumulated& a, const Accumulated& b) { return to.functor.combine(a, b); })) {
      store(part.result, part.slice, sums[0]);
    }
  }

  /// On a host: one result after the other, summed up in halves, so that errors grow with the logarithm of the count.
  void run_whole_on_host() const {
    for (std::int64_t result = 0; result < to.count; ++result) {
      store(result, 0, sum_of_halves(element_at(result), 0, reduced));
    }
  }

 private:
  [[nodiscard]] GPUCHECK_HOST_DEVICE const std::byte* element_at(std::int64_t result) const {
    return static_cast<const std::byte*>(in) + to.first_element_of(result);
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE Number load(const std::byte* at) const {
    if constexpr (is_typed) {
      return convert_element<Number>(*reinterpret_cast<const T*>(at));
    } else {
      return load_as<Number>(at, in_dtype);
    }
  }
  [[nodiscard]] GPUCHECK_HOST_DEVICE Accumulated element(const std::byte* first, std::int64_t place) const {
    std::int64_t offset[1];
    over_elements.offsets(place, offset);
    return to.functor.take(load(first + offset[0]), place);
  }

  [[nodiscard]] GPUCHECK_HOST_DEVICE Accumulated sum_of_lane(std::int64_t result, std::int64_t slice,
                                                             unsigned lane) const {
    const std::byte* const first = element_at(result);
    const std::int64_t begin = slice * shape.slice;
    const std::int64_t end = begin + shape.slice < reduced ? begin + shape.slice : reduced;
    if constexpr (is_typed) {
      if (over_elements.rank == 1 && over_elements.strides[0][0] == sizeof(T))
        return sum_of_vectors(first, begin, end, lane);
    }
    if (over_elements.rank < 2) return sum_of_regular(first, begin, end, lane);
    Accumulated sum = to.functor.identity();
    for (std::int64_t place = begin + lane; place < end; place += shape.lanes) {
      sum = to.functor.combine(sum, element(first, place));
    }
    return sum;
  }

  /// The sum of elements that lie equally far apart.
  [[nodiscard]] GPUCHECK_HOST_DEVICE Accumulated sum_of_regular(const std::byte* first, std::int64_t begin,
                                                                std::int64_t end, unsigned lane) const {
    constexpr std::int64_t loads = 8;  // in flight at once
    const std::int64_t stride = over_elements.rank == 0 ? 0 : over_elements.strides[0][0];
    const std::int64_t step = shape.lanes;
    Accumulated sums[loads];
    for (Accumulated& sum : sums) sum = to.functor.identity();
    std::int64_t place = begin + lane;
    for (; place + (loads - 1) * step < end; place += loads * step) {
      Number numbers[loads];
      for (std::int64_t i = 0; i < loads; ++i) numbers[i] = load(first + (place + i * step) * stride);
      for (std::int64_t i = 0; i < loads; ++i) {
        sums[i] = to.functor.combine(sums[i], to.functor.take(numbers[i], place + i * step));
      }
    }
    for (; place < end; place += step) {
      sums[0] = to.functor.combine(sums[0], to.functor.take(load(first + place * stride), place));
    }
    for (std::int64_t i = 1; i < loads; ++i) sums[0] = to.functor.combine(sums[0], sums[i]);
    return sums[0];
  }

  /// Elements without gaps are loaded as vectors from the first aligned place on, what is before and behind one by one.
  [[nodiscard]] GPUCHECK_HOST_DEVICE Accumulated sum_of_vectors(const std::byte* first, std::int64_t begin,
                                                                std::int64_t end, unsigned lane) const {
    constexpr auto width = static_cast<std::int64_t>(Vector<T>::width);
    constexpr std::int64_t loads = 2;
    const T* const elements = reinterpret_cast<const T*>(first);
    const auto misplaced =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(elements + begin) % sizeof(Vector<T>) / sizeof(T));
    const std::int64_t head = misplaced == 0 ? begin : begin + width - misplaced;
    const std::int64_t aligned = head < end ? head : end;
    constexpr std::size_t chains = loads * Vector<T>::width;
    Accumulated sums[chains];
    for (Accumulated& sum : sums) sum = to.functor.identity();
    const auto add_one = [&](std::int64_t place) {
      sums[0] = to.functor.combine(sums[0], to.functor.take(convert_element<Number>(elements[place]), place));
    };
    for (std::int64_t place = begin + lane; place < aligned; place += shape.lanes) add_one(place);
    const std::int64_t step = width * shape.lanes;
    std::int64_t place = aligned + lane * width;
    for (; place + (loads - 1) * step + width <= end; place += loads * step) {
      Vector<T> vectors[loads];
      for (std::int64_t i = 0; i < loads; ++i)
        vectors[i] = *reinterpret_cast<const Vector<T>*>(elements + place + i * step);
      for (std::int64_t i = 0; i < loads; ++i) {
        for (std::int64_t k = 0; k < width; ++k) {
          const auto number = convert_element<Number>(vectors[i].lanes[k]);
          sums[i * width + k] = to.functor.combine(sums[i * width + k], to.functor.take(number, place + i * step + k));
        }
      }
    }
    for (; place < end; place += step) {
      for (std::int64_t k = 0; k < width && place + k < end; ++k) add_one(place + k);
    }
    Accumulated sum = sums[0];
    for (std::size_t i = 1; i < chains; ++i) sum = to.functor.combine(sum, sums[i]);
    return sum;
  }

  [[nodiscard]] Accumulated sum_of_halves(const std::byte* first, std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t piece = 512;
    if (end - begin > piece) {
      const std::int64_t middle = begin + (end - begin) / 2;
      return to.functor.combine(sum_of_halves(first, begin, middle), sum_of_halves(first, middle, end));
    }
    constexpr std::int64_t chains = 8;  // so that the compiler makes vectors of them
    Accumulated sums[chains];
    for (Accumulated& sum : sums) sum = to.functor.identity();
    std::int64_t place = begin;
    for (; place + chains <= end; place += chains) {
      for (std::int64_t i = 0; i < chains; ++i) sums[i] = to.functor.combine(sums[i], element(first, place + i));
    }
    for (; place < end; ++place) sums[0] = to.functor.combine(sums[0], element(first, place));
    for (std::int64_t i = 1; i < chains; ++i) sums[0] = to.functor.combine(sums[0], sums[i]);
    return sums[0];
  }

  GPUCHECK_HOST_DEVICE void store(std::int64_t result, std::int64_t slice, const Accumulated& all) const {
    if (partial != nullptr) {
      partial[slice * to.count + result] = all;
    } else {
      to.store(result, all);
    }
  }
};

/// Adds up the slices of each result: slice s of result r is partial[s * to.count + r].
template <typename Functor>
struct ReduceSlices {
  using Accumulated = typename Functor::Accumulated;
  static constexpr std::string_view name = Functor::name;
  const Accumulated* partial;
  std::int64_t slices;
  ReducedTo<Functor> to;

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(to.count); }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    const auto written = to.accesses();
    return {reads(partial, static_cast<std::size_t>(to.count * slices) * sizeof(Accumulated)), written[0], written[1]};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const auto result = static_cast<std::int64_t>(thread.index);
    Accumulated sum = partial[result];
    for (std::int64_t slice = 1; slice < slices; ++slice) {
      sum = to.functor.combine(sum, partial[slice * to.count + result]);
    }
    to.store(result, sum);
  }
};

/// The kernels of a reduction that computes in these numbers, of elements of any type.
template <template <typename> typename Functor, typename... Numbers>
using AnyReductionFamily =
    Joined<Family<Reduce<Functor<Numbers>, Numbers, void>...>, Family<ReduceSlices<Functor<Numbers>>...>>;

/// The same, and float also for the types that training stores.
template <template <typename> typename Functor, typename... Numbers>
using ReductionFamily = Joined<AnyReductionFamily<Functor, Numbers...>,
                               Family<Reduce<Functor<float>, float, float>, Reduce<Functor<float>, float, Half>,
                                      Reduce<Functor<float>, float, BFloat16>>>;

}  // namespace gpucheck::device::kernels
