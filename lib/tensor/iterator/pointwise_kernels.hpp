#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/vectors.hpp"
#include "tensor/core/elements.hpp"
#include "tensor/iterator/strided_plan.hpp"

/// The two kernels of element-wise operators. What an operator computes is a functor:
///
///     template <typename Number> struct Neg {
///       static constexpr std::string_view name = "neg";
///       GPUCHECK_HOST_DEVICE Number operator()(Number a) const { return -a; }
///     };
namespace gpucheck::device::kernels {

namespace detail {

template <typename Functor, typename Number, std::size_t... places>
GPUCHECK_HOST_DEVICE auto apply(const Functor& functor, const Number* numbers, std::index_sequence<places...>) {
  return functor(numbers[places]...);
}

}  // namespace detail

/// out[i] = functor(in[0][i], in[1][i], ...), all of one type T and without gaps, 16 bytes of it by each invocation;
/// all aligned to that. Inputs whose bit is set in `constants` are the number in `numbers` instead.
template <typename Functor, typename T, std::size_t inputs>
struct ContiguousPointwise {
  using Number = ComputedIn<T>;
  static constexpr std::string_view name = Functor::name;
  static constexpr std::size_t width = Vector<T>::width;
  const T* in[inputs == 0 ? 1 : inputs];
  T* out;
  std::size_t elements;
  unsigned constants;
  Number numbers[inputs == 0 ? 1 : inputs];
  Functor functor;

  [[nodiscard]] std::size_t invocations() const { return (elements + width - 1) / width; }
  [[nodiscard]] std::array<MemoryAccess, inputs + 1> accesses(std::size_t) const {
    std::array<MemoryAccess, inputs + 1> found;
    found[0] = writes(reinterpret_cast<Vector<T>*>(out), elements * sizeof(T));
    for (std::size_t k = 0; k != inputs; ++k) {
      const bool is_read = (constants >> k & 1U) == 0;
      found[k + 1] = reads(reinterpret_cast<const Vector<T>*>(in[k]), is_read ? elements * sizeof(T) : 0);
    }
    return found;
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t first = thread.index * width;
    if (first + width > elements) return run_part(first, elements);
    Vector<T> vectors[inputs == 0 ? 1 : inputs];
    for (std::size_t k = 0; k != inputs; ++k) {
      const bool is_number = (constants >> k & 1U) != 0;
      vectors[k] = is_number ? Vector<T>{} : *reinterpret_cast<const Vector<T>*>(in[k] + first);
    }
    Vector<T> result;
    for (std::size_t lane = 0; lane < width; ++lane) {
      Number given[inputs == 0 ? 1 : inputs];
      for (std::size_t k = 0; k != inputs; ++k) {
        given[k] = (constants >> k & 1U) == 0 ? convert_element<Number>(vectors[k].lanes[lane]) : numbers[k];
      }
      result.lanes[lane] = convert_element<T>(detail::apply(functor, given, std::make_index_sequence<inputs>{}));
    }
    *reinterpret_cast<Vector<T>*>(out + first) = result;
  }
  /// On a host: loops that the compiler turns into vectors.
  void run_whole_on_host() const { run_part(0, elements); }

 private:
  GPUCHECK_HOST_DEVICE void run_part(std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i) {
      Number given[inputs == 0 ? 1 : inputs];
      for (std::size_t k = 0; k != inputs; ++k) {
        given[k] = (constants >> k & 1U) == 0 ? convert_element<Number>(in[k][i]) : numbers[k];
      }
      out[i] = convert_element<T>(detail::apply(functor, given, std::make_index_sequence<inputs>{}));
    }
  }
};

/// An operand of a loop whose type and strides are known when the program runs. Operand 0 is the result.
struct LoopOperand {
  void* data = nullptr;
  DType dtype = DType::float32;
};

/// The same for operands of any types and strides, one invocation for each element: loads and stores by type.
template <typename Functor, typename Number, std::size_t inputs>
struct StridedPointwise {
  static constexpr std::string_view name = Functor::name;
  static constexpr std::size_t operand_count = inputs + 1;
  LoopOperand operands[operand_count];
  std::size_t elements;
  unsigned constants;  ///< bit k + 1: input k is a number
  Number numbers[inputs == 0 ? 1 : inputs];
  Functor functor;
  StridedPlan<operand_count> plan;

  [[nodiscard]] std::size_t invocations() const { return elements; }
  [[nodiscard]] std::array<MemoryAccess, operand_count> accesses(std::size_t) const {
    std::array<MemoryAccess, operand_count> found;
    for (std::size_t k = 0; k < operand_count; ++k) {
      if ((constants >> k & 1U) != 0) continue;  // a number takes no memory
      found[k] = access_of(
          k == 0 ? AccessMode::write : AccessMode::read, operands[k].data, element_bytes(operands[k].dtype), plan.rank,
          [&](std::size_t i) { return plan.sizes[i].divisor; }, [&](std::size_t i) { return plan.strides[i][k]; });
    }
    return found;
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    std::uint32_t offsets[operand_count];
    plan.offsets(static_cast<std::uint32_t>(thread.index), offsets);
    Number given[inputs == 0 ? 1 : inputs];
    for (std::size_t k = 0; k != inputs; ++k) {
      given[k] = (constants >> (k + 1) & 1U) != 0 ? numbers[k]
                                                  : load_as<Number>(at(k + 1, offsets[k + 1]), operands[k + 1].dtype);
    }
    store_as(at(0, offsets[0]), operands[0].dtype, detail::apply(functor, given, std::make_index_sequence<inputs>{}));
  }

  /// On a host: row by row, in pieces whose elements are converted together, so that the compiler makes vectors of each
  /// step.
  void run_whole_on_host() const {
    if (elements == 0) return;
    const std::uint32_t row = plan.rank == 0 ? 1 : plan.sizes[0].divisor;
    for (std::size_t first = 0; first < elements; first += row) {
      std::uint32_t offsets[operand_count];
      plan.offsets(static_cast<std::uint32_t>(first), offsets);
      for (std::uint32_t done = 0; done < row; done += piece)
        run_piece(offsets, done, row - done < piece ? row - done : piece);
    }
  }

 private:
  static constexpr std::uint32_t piece = 128;

  [[nodiscard]] GPUCHECK_HOST_DEVICE std::byte* at(std::size_t operand, std::size_t offset) const {
    return static_cast<std::byte*>(operands[operand].data) + offset;
  }
  void run_piece(const std::uint32_t (&offsets)[operand_count], std::uint32_t first, std::uint32_t count) const {
    Number given[inputs == 0 ? 1 : inputs][piece];
    for (std::size_t k = 0; k != inputs; ++k) load_piece(given[k], k, offsets[k + 1], first, count);
    using Result = decltype(detail::apply(functor, given[0], std::make_index_sequence<inputs>{}));
    Result results[piece];
    for (std::uint32_t i = 0; i < count; ++i) {
      Number one[inputs == 0 ? 1 : inputs];
      for (std::size_t k = 0; k != inputs; ++k) one[k] = given[k][i];
      results[i] = detail::apply(functor, one, std::make_index_sequence<inputs>{});
    }
    const std::size_t stride = plan.rank == 0 ? 0 : plan.strides[0][0];
    store_elements(at(0, offsets[0] + first * stride), stride, operands[0].dtype, results, count);
  }
  void load_piece(Number (&given)[piece], std::size_t input, std::size_t offset, std::uint32_t first,
                  std::uint32_t count) const {
    if ((constants >> (input + 1) & 1U) != 0) {
      for (std::uint32_t i = 0; i < count; ++i) given[i] = numbers[input];
      return;
    }
    const std::size_t stride = plan.rank == 0 ? 0 : plan.strides[0][input + 1];
    load_elements(given, at(input + 1, offset + first * stride), stride, operands[input + 1].dtype, count);
  }
};

/// The kernels of an operator that computes in these numbers, for operands of any types and strides.
template <template <typename> typename Functor, std::size_t inputs, typename... Numbers>
using StridedFamily = Family<StridedPointwise<Functor<Numbers>, Numbers, inputs>...>;

/// The same and, for the three types that training uses, kernels for elements without gaps.
template <template <typename> typename Functor, std::size_t inputs, typename... Numbers>
using PointwiseFamily =
    Joined<StridedFamily<Functor, inputs, Numbers...>,
           Family<ContiguousPointwise<Functor<float>, float, inputs>, ContiguousPointwise<Functor<float>, Half, inputs>,
                  ContiguousPointwise<Functor<float>, BFloat16, inputs>>>;

}  // namespace gpucheck::device::kernels
