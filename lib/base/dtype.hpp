#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpucheck {

/// What an element is: the one vocabulary of element types. The order is that of PyTorch's `ScalarType`.
enum class DType : std::uint8_t {
  uint8,
  int8,
  int16,
  int32,
  int64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
  boolean,
  bfloat16,
};

inline constexpr std::size_t dtype_count = 12;

/// All of them, in the order of their numbers.
inline constexpr std::array<DType, dtype_count> all_dtypes{
    DType::uint8,   DType::int8,    DType::int16,     DType::int32,      DType::int64,   DType::float16,
    DType::float32, DType::float64, DType::complex64, DType::complex128, DType::boolean, DType::bfloat16};

[[nodiscard]] constexpr std::size_t element_bytes(DType dtype) noexcept {
  constexpr std::array<std::uint8_t, dtype_count> bytes{1, 1, 2, 4, 8, 2, 4, 8, 8, 16, 1, 2};
  return bytes[static_cast<std::size_t>(dtype)];
}

[[nodiscard]] constexpr bool is_complex(DType dtype) noexcept {
  return dtype == DType::complex64 || dtype == DType::complex128;
}
[[nodiscard]] constexpr bool is_floating(DType dtype) noexcept {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 || dtype == DType::float64;
}
/// Whole numbers, and with `with_boolean` also booleans.
[[nodiscard]] constexpr bool is_integral(DType dtype, bool with_boolean = false) noexcept {
  return dtype <= DType::int64 || (with_boolean && dtype == DType::boolean);
}

/// PyTorch's name in Python: "float32", "bool".
[[nodiscard]] std::string_view to_text(DType dtype) noexcept;
/// The name that PyTorch's errors use: "Float", "Bool".
[[nodiscard]] std::string_view to_error_text(DType dtype) noexcept;
/// The type that `to_text` names; nothing for another text.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text) noexcept;

/// The type that holds what both hold, as PyTorch's `promote_types` says it.
[[nodiscard]] DType promote(DType a, DType b) noexcept;
/// Whether a result of type `from` may be stored as `to`: never a complex number as a real one, a floating one as a
/// whole one, or anything else as a boolean. PyTorch's `can_cast`.
[[nodiscard]] bool can_cast(DType from, DType to) noexcept;

}  // namespace gpucheck
