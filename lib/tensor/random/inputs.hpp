#pragma once

#include <cstddef>

#include "tensor/random/distributions.hpp"

/// Random numbers that depend on an input each, as `distributions.hpp` says for those that depend on
/// none. Arrays are in device memory and have `count` elements. T: float, double, Half, BFloat16.
namespace gpucheck::tensor::ops {

/// out[i] = 1 with probability probabilities[i], else 0: PyTorch's `bernoulli`. A probability
/// outside [0, 1] is a device-side assert. P is T; for T of uint8_t, int8_t, int16_t, int32_t,
/// int64_t, bool it is float.
template <typename T, typename P>
void bernoulli_each(Generator& generator, const P* probabilities, T* out, std::size_t count);

/// out[i] = a number of the Poisson distribution with mean means[i]: PyTorch's `poisson`. A
/// negative mean is a device-side assert. out may not be means.
template <typename T>
void poisson(Generator& generator, const T* means, T* out, std::size_t count);

/// Each element dropped with this probability, and those that stay scaled so that the sum is
/// expected to: PyTorch's `dropout` in training. Which stayed is in `mask`.
template <typename T>
void dropout(Generator& generator, const T* in, T* out, bool* mask, std::size_t count, double probability = 0.5);

/// Elements at or below 0 times a slope drawn from [lower, upper), the others as they are:
/// PyTorch's `rrelu` in training. `slopes` gets what each was multiplied with.
template <typename T>
void rrelu(Generator& generator, const T* in, T* out, T* slopes, std::size_t count, double lower = 1.0 / 8,
           double upper = 1.0 / 3);

}  // namespace gpucheck::tensor::ops
