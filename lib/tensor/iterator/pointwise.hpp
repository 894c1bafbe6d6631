#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/error.hpp"
#include "device/check.hpp"
#include "device/launch.hpp"
#include "tensor/iterator/loop.hpp"
#include "tensor/iterator/pointwise_kernels.hpp"

/// Runs element-wise operators: on the host, or by a launch on the current stream of a device.
namespace gpucheck::tensor {

/// @throws NotImplementedError with PyTorch's text, always: the operator has no kernel for the type.
[[noreturn]] void refuse_dtype(std::string_view name, DType dtype);

namespace detail {

/// A number of the host as one that kernels compute with.
template <typename Number>
Number number_of(const Scalar& scalar) {
  if constexpr (device::kernels::is_complex_number<Number>) {
    using Real = decltype(Number::real);
    const auto value = scalar.to_complex();
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  } else if constexpr (std::is_integral_v<Number>) {
    return static_cast<Number>(scalar.to_int());
  } else {
    return static_cast<Number>(scalar.to_double());
  }
}

/// Launches all of the kernel's invocations.
template <typename Kernel>
void launch_kernel(const Kernel& kernel, runtime::Runtime& runtime) {
  device::check(device::launch(runtime.device(), kernel, kernel.invocations(), runtime.current_stream()), Kernel::name);
}

template <typename Kernel>
void run_kernel(const Kernel& kernel, Device device) {
  if (device.is_host()) return kernel.run_whole_on_host();
  launch_kernel(kernel, device.runtime());
}

/// Whether the functor's family lists kernels for elements without gaps.
template <typename Functor, typename Number, std::size_t inputs>
inline constexpr bool has_contiguous_kernel = false;
template <typename Functor, std::size_t inputs>
requires(sizeof(device::kernels::FamilyOf<device::kernels::ContiguousPointwise<Functor, float, inputs>>) >
         0) inline constexpr bool has_contiguous_kernel<Functor, float, inputs> = true;

template <std::size_t inputs, typename T, typename Functor>
void run_contiguous(const Loop& loop, const Functor& functor) {
  device::kernels::ContiguousPointwise<Functor, T, inputs> kernel{};
  using Number = typename decltype(kernel)::Number;
  kernel.out = static_cast<T*>(loop.places()[0].data);
  kernel.elements = static_cast<std::size_t>(loop.count());
  kernel.functor = functor;
  for (std::size_t k = 0; k < inputs; ++k) {
    const Loop::Place& place = loop.places()[k + 1];
    kernel.in[k] = static_cast<const T*>(place.data);
    if (place.data != nullptr) continue;
    kernel.constants |= 1U << k;
    kernel.numbers[k] = number_of<Number>(place.number);
  }
  run_kernel(kernel, loop.device());
}

template <std::size_t inputs, typename Number, typename Functor>
void run_strided(const Loop& loop, const Functor& functor) {
  device::kernels::StridedPointwise<Functor, Number, inputs> kernel{};
  kernel.elements = static_cast<std::size_t>(loop.count());
  kernel.functor = functor;
  kernel.plan.rank = static_cast<std::uint32_t>(loop.sizes().size());
  for (std::size_t i = 0; i < loop.sizes().size(); ++i) {
    kernel.plan.sizes[i] = device::kernels::Divider(static_cast<std::uint32_t>(loop.sizes()[i]));
  }
  for (std::size_t k = 0; k <= inputs; ++k) {
    const Loop::Place& place = loop.places()[k];
    kernel.operands[k] = {place.data, place.dtype};
    for (std::size_t i = 0; i < loop.sizes().size(); ++i)
      kernel.plan.strides[i][k] = static_cast<std::uint32_t>(place.strides[i]);
    if (k == 0 || place.data != nullptr) continue;
    kernel.constants |= 1U << k;
    kernel.numbers[k - 1] = number_of<Number>(place.number);
  }
  run_kernel(kernel, loop.device());
}

}  // namespace detail

/// Runs a loop with functor(inputs...), which computes in `Number`. @throws DeviceError.
template <std::size_t inputs, typename Number, typename Functor>
void run_pointwise(const Loop& loop, const Functor& functor) {
  if (loop.count() == 0) return;
  if constexpr (detail::has_contiguous_kernel<Functor, Number, inputs>) {
    using device::kernels::BFloat16;
    using device::kernels::Half;
    if (loop.is_contiguous_of(DType::float32)) return detail::run_contiguous<inputs, float>(loop, functor);
    if (loop.is_contiguous_of(DType::float16)) return detail::run_contiguous<inputs, Half>(loop, functor);
    if (loop.is_contiguous_of(DType::bfloat16)) return detail::run_contiguous<inputs, BFloat16>(loop, functor);
  }
  if (loop.fits_32_bits()) return detail::run_strided<inputs, Number>(loop, functor);
  loop.for_each_part([&](const Loop& part) { detail::run_strided<inputs, Number>(part, functor); });
}

/// Calls `action` with the type of number in which elements of `dtype` are computed, as a `std::type_identity`: one of
/// `Numbers`. @throws NotImplementedError with PyTorch's text for another.
template <typename... Numbers, typename Action>
void with_number(DType dtype, std::string_view name, const Action& action) {
  bool is_done = false;
  device::kernels::with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
    using Number = device::kernels::ComputedIn<T>;
    if constexpr ((std::is_same_v<Number, Numbers> || ...)) {
      action(std::type_identity<Number>{});
      is_done = true;
    }
  });
  if (!is_done) refuse_dtype(name, dtype);
}

}  // namespace gpucheck::tensor
