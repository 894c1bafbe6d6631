#pragma once

#include <cstddef>

#include "device/kernels/support/half.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/random/generator.hpp"

namespace gpucheck::tensor {

using device::kernels::BFloat16;
using device::kernels::Half;
using runtime::Buffer;
using runtime::Generator;

}  // namespace gpucheck::tensor

/// Real numbers drawn from a generator into device memory, the very ones that PyTorch draws on
/// a device of as many multiprocessors. Every call only submits work to the current stream; a
/// count of 0 neither submits nor draws. T: float, double, Half, BFloat16. @throws Error for
/// parameters that make no distribution, with PyTorch's text, and as Generator::take does;
/// DeviceError.
namespace gpucheck::tensor::ops {

/// Uniform in [from, to): PyTorch's `uniform_`.
template <typename T>
void uniform(Generator& generator, T* out, std::size_t count, double from = 0, double to = 1);

/// PyTorch's `normal_`.
template <typename T>
void normal(Generator& generator, T* out, std::size_t count, double mean = 0, double deviation = 1);

/// Numbers whose logarithms are normal: PyTorch's `log_normal_`.
template <typename T>
void log_normal(Generator& generator, T* out, std::size_t count, double mean = 1, double deviation = 2);

/// PyTorch's `exponential_`.
template <typename T>
void exponential(Generator& generator, T* out, std::size_t count, double rate = 1);

/// PyTorch's `cauchy_`.
template <typename T>
void cauchy(Generator& generator, T* out, std::size_t count, double median = 0, double scale = 1);

/// New memory with uniform numbers in [0, 1): PyTorch's `rand`. @throws also OutOfMemoryError.
[[nodiscard]] Buffer<float> rand(Generator& generator, std::size_t count);
/// The same with normal numbers: PyTorch's `randn`.
[[nodiscard]] Buffer<float> randn(Generator& generator, std::size_t count);

}  // namespace gpucheck::tensor::ops
