#pragma once

#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// A complex number that kernels compute with, laid out as PyTorch's: the real part first.
template <typename Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real real = 0;
  Real imaginary = 0;

  friend GPUCHECK_HOST_DEVICE constexpr Complex operator+(Complex a, Complex b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
  friend GPUCHECK_HOST_DEVICE constexpr Complex operator-(Complex a, Complex b) {
    return {a.real - b.real, a.imaginary - b.imaginary};
  }
  friend GPUCHECK_HOST_DEVICE constexpr Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
  friend GPUCHECK_HOST_DEVICE constexpr Complex operator-(Complex a) { return {-a.real, -a.imaginary}; }
  /// By the larger part of the divisor, so that its square cannot overflow (Smith, "Algorithm 116", 1962).
  friend GPUCHECK_HOST_DEVICE constexpr Complex operator/(Complex a, Complex b) {
    const Real real_size = b.real < 0 ? -b.real : b.real;
    const Real imaginary_size = b.imaginary < 0 ? -b.imaginary : b.imaginary;
    if (real_size == 0 && imaginary_size == 0) return {a.real / real_size, a.imaginary / imaginary_size};
    if (real_size >= imaginary_size) {
      const Real ratio = b.imaginary / b.real;
      const Real scale = 1 / (b.real + b.imaginary * ratio);
      return {(a.real + a.imaginary * ratio) * scale, (a.imaginary - a.real * ratio) * scale};
    }
    const Real ratio = b.real / b.imaginary;
    const Real scale = 1 / (b.real * ratio + b.imaginary);
    return {(a.real * ratio + a.imaginary) * scale, (a.imaginary * ratio - a.real) * scale};
  }
  friend GPUCHECK_HOST_DEVICE constexpr bool operator==(Complex a, Complex b) {
    return a.real == b.real && a.imaginary == b.imaginary;
  }
};

}  // namespace gpucheck::device::kernels
