#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/random/distributions.hpp"

/// Whole numbers drawn from a generator, as `distributions.hpp` says for real ones. T: float,
/// double, Half, BFloat16, uint8_t, int8_t, int16_t, int32_t, int64_t; where it says so also bool.
namespace gpucheck::tensor::ops {

/// 1 with this probability, else 0: PyTorch's `bernoulli_(p)`. T: also bool.
template <typename T>
void bernoulli(Generator& generator, T* out, std::size_t count, double probability = 0.5);

/// Trials up to the first success: PyTorch's `geometric_`.
template <typename T>
void geometric(Generator& generator, T* out, std::size_t count, double probability);

/// Uniform in [from, to): PyTorch's `random_(from, to)` and `randint`. T: also bool.
/// For types that cannot hold every whole number the range shrinks to what they can.
template <typename T>
void random(Generator& generator, T* out, std::size_t count, std::int64_t from, std::int64_t to);
/// The same from `from` up to the greatest that T holds, or for floating types the greatest up
/// to which it holds all. From the least int64_t on: every 64-bit number, for int64_t, double,
/// float and BFloat16 only. T: also bool.
template <typename T>
void random_from(Generator& generator, T* out, std::size_t count, std::int64_t from);
/// The same from 0. T: also bool.
template <typename T>
void random(Generator& generator, T* out, std::size_t count);

}  // namespace gpucheck::tensor::ops
