#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "device/kernel.hpp"
#include "device/kernels/checks.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/kernels/flip_bit.hpp"
#include "device/kernels/layout.hpp"
#include "device/kernels/random.hpp"
#include "device/kernels/reduce.hpp"
#include "device/kernels/sampling.hpp"
#include "device/kernels/strided.hpp"
#include "device/kernels/views.hpp"

/// Every kernel gpucheck can run. A kernel is added by writing its functor in this
/// folder and its instantiations here: `cuda/` and `sim/` both build their launch
/// tables from this list.
namespace gpucheck::device::kernels {

using KernelList = std::tuple<  //
    Spin, FlipBit,              //
    Fill<std::uint8_t>, Fill<std::int32_t>, Fill<std::int64_t>, Fill<float>, Iota<std::int32_t>, Iota<std::int64_t>,
    AddArrays<std::uint8_t>, AddScalar<std::uint8_t>, AddScalar<std::int32_t>, AddScalar<std::int64_t>,
    AddScalar<float>, Count, RequireBelow, Convert<float, std::int64_t>, CopyStrided<std::int64_t>,
    FillStrided<std::uint8_t>, FillStrided<std::int32_t>, FillStrided<float>, FillVectors<std::uint8_t>,
    FillVectors<std::int32_t>, FillVectors<std::int64_t>, FillVectors<float>, VerifyStrided<std::uint8_t>,
    VerifyStrided<std::int32_t>, VerifyStrided<float>, VerifyVectors<std::uint8_t>, VerifyVectors<std::int32_t>,
    VerifyVectors<float>, SumIntegers, SumPartially<float>, SumPartially<double>, RequireNonzero<std::int64_t>,
    RequireNonzero<float>, RequireNonzero<bool>, RequireNonzero<ComplexFloat>, IndexRows<std::int32_t>,
    IndexRows<std::int64_t>, IndexRows<float>, SumWeightParts, AccumulateParts, AccumulateWeights, DrawCategories,
    AddViews, MultiplyMatrices, DrawUniform>;

namespace detail {

template <typename Functor, typename List>
struct IndexIn;

template <typename Functor, typename... Functors>
struct IndexIn<Functor, std::tuple<Functors...>> {
  static constexpr std::size_t value = [] {
    constexpr bool matches[] = {std::is_same_v<Functor, Functors>...};
    std::size_t index = 0;
    while (index < sizeof...(Functors) && !matches[index]) ++index;
    return index;
  }();
};

}  // namespace detail

/// The position of a functor in the list; a functor that is not in it does not compile.
template <typename Functor>
inline constexpr KernelId kernel_id = [] {
  constexpr std::size_t index = detail::IndexIn<Functor, KernelList>::value;
  static_assert(index < std::tuple_size_v<KernelList>, "add the kernel to KernelList");
  return static_cast<KernelId>(index);
}();

}  // namespace gpucheck::device::kernels
