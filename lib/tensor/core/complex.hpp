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
  friend GPUCHECK_HOST_DEVICE constexpr bool operator==(Complex a, Complex b) {
    return a.real == b.real && a.imaginary == b.imaginary;
  }
};

}  // namespace gpucheck::device::kernels
