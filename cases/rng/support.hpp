#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/random/generator.hpp"
#include "tensor/random/distributions.hpp"

namespace gpucheck::cases::in_rng {

using tensor::Buffer;
using tensor::Generator;

/// The current stream's memory for so many elements.
template <typename T>
Buffer<T> empty(runtime::Runtime& runtime, std::size_t count) {
  return {runtime, count, runtime.current_stream()};
}

template <typename T>
std::vector<T> values_of(runtime::Runtime& runtime, const Buffer<T>& values) {
  return read(runtime, values.data(), values.size(), runtime.current_stream());
}

/// Also of numbers that are not equal to themselves, and of zeros with and without a sign.
template <typename T>
bool same_bits(const T& a, const T& b) {
  const auto bytes = std::as_bytes(std::span(&a, 1));
  return std::equal(bytes.begin(), bytes.end(), std::as_bytes(std::span(&b, 1)).begin());
}

/// Elements that are not the same in both, bit for bit.
template <typename T>
std::int64_t differing(const std::vector<T>& a, const std::vector<T>& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || !same_bits(a[i], b[i])) ++count;
  }
  return count;
}

/// The bits of numbers, each as a whole number.
template <typename T>
std::vector<std::uint64_t> bits_of(const std::vector<T>& values) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint32_t), std::uint32_t, std::uint64_t>;
  std::vector<std::uint64_t> bits(values.size());
  std::ranges::transform(values, bits.begin(), [](T value) { return std::uint64_t{std::bit_cast<Bits>(value)}; });
  return bits;
}

/// The numbers in ascending order, each once. Sorts by digits: millions take a fraction of a second in any build.
std::vector<std::uint64_t> distinct(std::vector<std::uint64_t> numbers);

/// The first `count` numbers, as they are observed.
template <typename T>
std::vector<double> first_of(const std::vector<T>& values, std::size_t count) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size()))};
}

/// How many draws are of what has no weight, or of no category at all.
std::int64_t impossible_draws(const std::vector<float>& weights, const std::vector<std::int64_t>& drawn);

/// How many numbers are not in [0, range).
std::int64_t out_of_range(const std::vector<std::int64_t>& numbers, std::int64_t range);

/// Copies on the current stream.
template <typename T>
void copy_values(runtime::Runtime& runtime, Buffer<T>& to, const Buffer<T>& from) {
  device::check(runtime.device(),
                runtime.device().copy(to.data(), from.data(), to.size_bytes(), device::CopyKind::device_to_device,
                                      runtime.current_stream()),
                "copy");
}

/// What may go wrong with any draw.
std::vector<harness::Fault> drawing_faults();

}  // namespace gpucheck::cases::in_rng
