#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/thread.hpp"

namespace gpucheck::device::kernels {

/// *out += sum of in[0..elements), each invocation every n-th element; wraps.
struct SumIntegers {
  static constexpr std::string_view name = "sum_integers";
  const std::int64_t* in;
  std::size_t elements;
  std::uint64_t* out;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(*in)), updates(out, sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    std::uint64_t sum = 0;
    for (std::size_t i = thread.index; i < elements; i += thread.count) sum += static_cast<std::uint64_t>(in[i]);
    thread.atomic_add(out, sum);
  }
};

/// partial[t] = sum of in[t], in[t + n], ... in double precision, n being the count.
template <typename T>
struct SumPartially {
  static constexpr std::string_view name = "sum_partially";
  const T* in;
  std::size_t elements;
  double* partial;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(in, elements * sizeof(T)), writes(partial, count * sizeof(double))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    double sum = 0.0;
    for (std::size_t i = thread.index; i < elements; i += thread.count) sum += static_cast<double>(in[i]);
    partial[thread.index] = sum;
  }
};

}  // namespace gpucheck::device::kernels
