#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

#include "base/dtype.hpp"

namespace gpucheck::tensor {

/// A number of the host: PyTorch's `Scalar`. A value.
class Scalar {
 public:
  using Complex = std::complex<double>;

  Scalar() noexcept : number_(std::int64_t{0}) {}
  // NOLINTBEGIN(google-explicit-constructor): a number is meant wherever one is written
  Scalar(bool value) noexcept : number_(value) {}
  template <std::integral Number>
  Scalar(Number value) noexcept : number_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point Number>
  Scalar(Number value) noexcept : number_(static_cast<double>(value)) {}
  Scalar(Complex value) noexcept : number_(value) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_boolean() const noexcept { return std::holds_alternative<bool>(number_); }
  [[nodiscard]] bool is_integral() const noexcept { return std::holds_alternative<std::int64_t>(number_); }
  [[nodiscard]] bool is_floating() const noexcept { return std::holds_alternative<double>(number_); }
  [[nodiscard]] bool is_complex() const noexcept { return std::holds_alternative<Complex>(number_); }

  /// The type that PyTorch gives a tensor of this number: bool, int64, float32, complex64.
  [[nodiscard]] DType default_dtype() const noexcept;

  /// The number as another kind: its real part, towards zero; what 64 bits do not hold becomes the nearest that they
  /// do, NaN the lowest.
  [[nodiscard]] std::int64_t to_int() const noexcept;
  [[nodiscard]] double to_double() const noexcept;
  [[nodiscard]] Complex to_complex() const noexcept;
  [[nodiscard]] bool to_bool() const noexcept;

  /// As Python writes it: "1", "0.5", "True", "(1+2j)".
  [[nodiscard]] std::string text() const;

  bool operator==(const Scalar&) const noexcept = default;

 private:
  std::variant<std::int64_t, bool, double, Complex> number_;
};

}  // namespace gpucheck::tensor
