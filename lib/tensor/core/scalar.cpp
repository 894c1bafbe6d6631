#include "tensor/core/scalar.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace gpucheck::tensor {
namespace {

/// The shortest text that reads back the same, with a point where it is needed to tell it from a whole number.
std::string text_of(double value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

DType Scalar::default_dtype() const noexcept {
  if (is_boolean()) return DType::boolean;
  if (is_integral()) return DType::int64;
  return is_floating() ? DType::float32 : DType::complex64;
}

std::int64_t Scalar::to_int() const noexcept {
  if (const auto* whole = std::get_if<std::int64_t>(&number_)) return *whole;
  if (const auto* boolean = std::get_if<bool>(&number_)) return *boolean ? 1 : 0;
  const double value = to_double();
  constexpr double end = 0x1p63;
  if (value >= end) return std::numeric_limits<std::int64_t>::max();
  if (!(value >= -end)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

double Scalar::to_double() const noexcept {
  if (const auto* real = std::get_if<double>(&number_)) return *real;
  if (const auto* complex = std::get_if<Complex>(&number_)) return complex->real();
  return static_cast<double>(to_int());
}

Scalar::Complex Scalar::to_complex() const noexcept {
  if (const auto* complex = std::get_if<Complex>(&number_)) return *complex;
  return {to_double(), 0.0};
}

bool Scalar::to_bool() const noexcept { return to_complex() != Complex{} || to_int() != 0; }

std::string Scalar::text() const {
  if (is_boolean()) return to_bool() ? "True" : "False";
  if (is_integral()) return fmt::format("{}", to_int());
  if (is_floating()) return text_of(to_double());
  const Complex value = to_complex();
  return fmt::format("({}{:+}j)", value.real(), value.imag());
}

}  // namespace gpucheck::tensor
