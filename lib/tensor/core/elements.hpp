#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/dtype.hpp"
#include "device/kernels/support/half.hpp"
#include "device/kernels/support/thread.hpp"
#include "tensor/core/complex.hpp"

/// For what many kernels share: the code is there once.
#if defined(__CUDACC__)
#define GPUCHECK_SHARED_CODE __noinline__
#else
#define GPUCHECK_SHARED_CODE __attribute__((noinline))
#endif

/// Elements of a type that is known when the program runs, as numbers to compute with.
namespace gpucheck::device::kernels {

/// How an element is stored.
template <DType dtype>
struct StoredAs;
template <>
struct StoredAs<DType::uint8> {
  using type = std::uint8_t;
};
template <>
struct StoredAs<DType::int8> {
  using type = std::int8_t;
};
template <>
struct StoredAs<DType::int16> {
  using type = std::int16_t;
};
template <>
struct StoredAs<DType::int32> {
  using type = std::int32_t;
};
template <>
struct StoredAs<DType::int64> {
  using type = std::int64_t;
};
template <>
struct StoredAs<DType::float16> {
  using type = Half;
};
template <>
struct StoredAs<DType::float32> {
  using type = float;
};
template <>
struct StoredAs<DType::float64> {
  using type = double;
};
template <>
struct StoredAs<DType::complex64> {
  using type = Complex<float>;
};
template <>
struct StoredAs<DType::complex128> {
  using type = Complex<double>;
};
template <>
struct StoredAs<DType::boolean> {
  using type = bool;
};
template <>
struct StoredAs<DType::bfloat16> {
  using type = BFloat16;
};

template <typename T>
inline constexpr bool is_complex_number = false;
template <typename Real>
inline constexpr bool is_complex_number<Complex<Real>> = true;
template <typename T>
inline constexpr bool is_short_floating = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

/// Towards zero; what the integer cannot hold becomes its nearest value, NaN the lowest, as a GPU converts (PTX ISA,
/// cvt).
template <typename Real>
GPUCHECK_HOST_DEVICE std::int64_t whole_of(Real value) {
  constexpr Real end = static_cast<Real>(0x1p63);
  if (value >= end) return INT64_MAX;
  if (!(value >= -end)) return INT64_MIN;
  return static_cast<std::int64_t>(value);
}

/// An element or a number as another type. Of a complex number that becomes a real one the real part is kept; a whole
/// number that does not fit keeps its lowest bits.
template <typename To, typename From>
GPUCHECK_HOST_DEVICE To convert_element(const From& value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_short_floating<From>) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (is_complex_number<From>) {
    if constexpr (is_complex_number<To>) {
      using Real = decltype(To::real);
      return {static_cast<Real>(value.real), static_cast<Real>(value.imaginary)};
    } else if constexpr (std::is_same_v<To, bool>) {
      return value.real != 0 || value.imaginary != 0;
    } else {
      return convert_element<To>(value.real);
    }
  } else if constexpr (is_complex_number<To>) {
    return {static_cast<decltype(To::real)>(value), 0};
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{};
  } else if constexpr (is_short_floating<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return static_cast<To>(whole_of(value));
  } else {
    return static_cast<To>(value);
  }
}

/// Calls `action` with the type of an element of that dtype, as a `std::type_identity`.
template <typename Action>
GPUCHECK_HOST_DEVICE decltype(auto) with_stored_type(DType dtype, const Action& action) {
  switch (dtype) {
    case DType::uint8:
      return action(std::type_identity<std::uint8_t>{});
    case DType::int8:
      return action(std::type_identity<std::int8_t>{});
    case DType::int16:
      return action(std::type_identity<std::int16_t>{});
    case DType::int32:
      return action(std::type_identity<std::int32_t>{});
    case DType::int64:
      return action(std::type_identity<std::int64_t>{});
    case DType::float16:
      return action(std::type_identity<Half>{});
    case DType::float64:
      return action(std::type_identity<double>{});
    case DType::complex64:
      return action(std::type_identity<Complex<float>>{});
    case DType::complex128:
      return action(std::type_identity<Complex<double>>{});
    case DType::boolean:
      return action(std::type_identity<bool>{});
    case DType::bfloat16:
      return action(std::type_identity<BFloat16>{});
    case DType::float32:
      break;
  }
  return action(std::type_identity<float>{});
}

/// What PyTorch computes elements of this type in, between loading and storing them. Whole numbers wrap around when
/// they are stored, which gives what arithmetic in their own type gives.
template <typename T>
using ComputedIn =
    std::conditional_t<std::is_integral_v<T>, std::int64_t, std::conditional_t<is_short_floating<T>, float, T>>;

template <typename Number>
GPUCHECK_HOST_DEVICE GPUCHECK_SHARED_CODE Number load_as(const void* element, DType dtype) {
  return with_stored_type(dtype, [element]<typename T>(std::type_identity<T>) {
    return convert_element<Number>(*static_cast<const T*>(element));
  });
}

template <typename Number>
GPUCHECK_HOST_DEVICE GPUCHECK_SHARED_CODE void store_as(void* element, DType dtype, Number number) {
  with_stored_type(dtype, [element, &number]<typename T>(std::type_identity<T>) {
    *static_cast<T*>(element) = convert_element<T>(number);
  });
}

/// Elements `stride` bytes apart as numbers, in a loop for each type that the compiler makes vectors of. On a host.
template <typename Number>
GPUCHECK_SHARED_CODE void load_elements(Number* numbers, const std::byte* elements, std::size_t stride, DType dtype,
                                        std::size_t count) {
  with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i] = convert_element<Number>(*reinterpret_cast<const T*>(elements + i * stride));
    }
  });
}
template <typename Number>
GPUCHECK_SHARED_CODE void store_elements(std::byte* elements, std::size_t stride, DType dtype, const Number* numbers,
                                         std::size_t count) {
  with_stored_type(dtype, [&]<typename T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      *reinterpret_cast<T*>(elements + i * stride) = convert_element<T>(numbers[i]);
    }
  });
}

}  // namespace gpucheck::device::kernels
