#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

/// `a` where the condition is not zero, else `b`.
template <typename Number>
struct Select {
  static constexpr std::string_view name = "where";
  GPUCHECK_HOST_DEVICE Number operator()(Number condition, Number a, Number b) const {
    return condition == Number{} ? b : a;
  }
};

/// The same of elements that are all of one size and lie without gaps, by their bits; the condition's take a byte each.
/// All but the condition aligned to 16 bytes, that one to as many as an invocation takes.
template <typename Bits>
struct ContiguousSelect {
  static constexpr std::string_view name = "where";
  static constexpr std::size_t width = Vector<Bits>::width;
  struct alignas(width) Flags {
    std::uint8_t lanes[width];
  };
  const std::uint8_t* condition;
  const Bits* a;
  const Bits* b;
  Bits* out;
  std::size_t elements;

  [[nodiscard]] std::size_t invocations() const { return (elements + width - 1) / width; }
  [[nodiscard]] std::array<MemoryAccess, 4> accesses(std::size_t) const {
    const std::size_t bytes = elements * sizeof(Bits);
    return {reads(reinterpret_cast<const Flags*>(condition), elements),
            reads(reinterpret_cast<const Vector<Bits>*>(a), bytes),
            reads(reinterpret_cast<const Vector<Bits>*>(b), bytes),
            writes(reinterpret_cast<Vector<Bits>*>(out), bytes)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t first = thread.index * width;
    if (first + width > elements) return run_part(first, elements);
    const Flags flags = *reinterpret_cast<const Flags*>(condition + first);
    const Vector<Bits> one = *reinterpret_cast<const Vector<Bits>*>(a + first);
    Vector<Bits> result = *reinterpret_cast<const Vector<Bits>*>(b + first);
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (flags.lanes[lane] != 0) result.lanes[lane] = one.lanes[lane];
    }
    *reinterpret_cast<Vector<Bits>*>(out + first) = result;
  }
  void run_whole_on_host() const { run_part(0, elements); }

 private:
  GPUCHECK_HOST_DEVICE void run_part(std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i) out[i] = condition[i] != 0 ? a[i] : b[i];
  }
};

namespace families {
using selection =
    Joined<StridedFamily<Select, 3, float, double, std::int64_t, Complex<float>, Complex<double>>,
           Family<ContiguousSelect<std::uint16_t>, ContiguousSelect<std::uint32_t>, ContiguousSelect<std::uint64_t>>>;
}
template <typename Functor>
requires(families::selection::has<Functor>) struct FamilyOf<Functor> : families::selection {
};

}  // namespace gpucheck::device::kernels
