#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/vectors.hpp"

namespace gpucheck::device::kernels {

/// How a sum is shared out among blocks. It depends on the count alone, and so does the
/// order of additions.
struct SumShape {
  std::size_t blocks = 0;
  unsigned threads = 0;  ///< of each block: a power of two

  [[nodiscard]] constexpr std::size_t count() const { return blocks * threads; }
  [[nodiscard]] constexpr BlockShape block() const { return {.threads = threads, .shared_bytes = threads * 8U}; }
};

inline constexpr std::size_t max_sum_blocks = 4096;  // a few for each that fits on a GPU, so that none waits long
inline constexpr unsigned max_sum_threads = 128;
/// Vectors that each thread adds at least: with fewer, a block's last phases would count. What
/// a full block then reads, 32 KiB, stays in the first-level cache of a host as well.
inline constexpr std::size_t min_sum_vectors = 16;

template <typename T>
constexpr SumShape sum_shape(std::size_t elements) {
  constexpr std::size_t min_share = min_sum_vectors * Vector<T>::width;
  const std::size_t shares = elements / min_share + (elements % min_share != 0 ? 1 : 0);
  unsigned threads = 1;
  while (threads < max_sum_threads && threads < shares) threads *= 2;
  const std::size_t blocks = shares / threads + (shares % threads != 0 ? 1 : 0);
  return {blocks == 0 ? 1 : (blocks < max_sum_blocks ? blocks : max_sum_blocks), threads};
}

// The parts of any sum are added up by one block.
static_assert(sum_shape<double>(max_sum_blocks).blocks == 1);

/// A thread's part in the sum of a block's share of in[0..elements): vectors of it, `threads`
/// apart, each lane added up on its own.
template <typename Sum, typename T>
GPUCHECK_HOST_DEVICE Sum sum_of_share(const T* in, std::size_t elements, const BlockThread& thread) {
  constexpr std::size_t width = Vector<T>::width;
  const std::size_t step = thread.threads * width;
  const std::size_t steps = (elements + step - 1) / step;
  const std::size_t share = (steps + thread.blocks - 1) / thread.blocks * step;
  const std::size_t begin = thread.block * share;
  const std::size_t end = begin + share < elements ? begin + share : elements;
  Sum sums[width] = {};
  std::size_t at = begin + thread.index * width;
#if defined(__CUDA_ARCH__)
  constexpr std::size_t loads = 4;  // in flight at once
  if (has_whole_vectors(in)) {
    for (; at + (loads - 1) * step + width <= end; at += loads * step) {
      Vector<T> vectors[loads];
#pragma unroll
      for (std::size_t i = 0; i < loads; ++i) vectors[i] = *reinterpret_cast<const Vector<T>*>(in + at + i * step);
#pragma unroll
      for (std::size_t i = 0; i < loads; ++i) {
        for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += static_cast<Sum>(vectors[i].lanes[lane]);
      }
    }
  }
#endif
  for (; at + width <= end; at += step) {
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += static_cast<Sum>(in[at + lane]);
  }
  for (std::size_t lane = 0; lane < width; ++lane) {  // to a fixed end, so that the sums stay in registers
    if (at + lane < end) sums[lane] += static_cast<Sum>(in[at + lane]);
  }
  Sum sum{};
  for (const Sum part : sums) sum += part;
  return sum;
}

/// Adds up one number of each of a block's threads, in shared memory: phase 1 in groups,
/// phase 2 the groups. True for the thread that has the sum, in the last phase.
template <typename Sum>
GPUCHECK_HOST_DEVICE bool sum_of_block(const BlockThread& thread, unsigned phase, Sum& sum) {
  constexpr unsigned group = 16;
  auto* const sums = static_cast<Sum*>(thread.shared);
  const unsigned first = phase == 1 ? thread.index * group : 0;
  const unsigned step = phase == 1 ? 1 : group;
  const unsigned end = phase == 1 ? first + group : thread.threads;
  if (first >= thread.threads || (phase == 2 && thread.index != 0)) return false;
  sum = sums[first];
  for (unsigned i = first + step; i < end && i < thread.threads; i += step) sum += sums[i];
  if (phase == 1) sums[first] = sum;
  return phase == 2;
}

/// *out += sum of in[0..elements); wraps. Launch with the `sum_shape` of the elements.
struct SumIntegers {
  static constexpr std::string_view name = "sum_integers";
  static constexpr unsigned phases = 3;
  using Element = std::int64_t;
  const std::int64_t* in;
  std::size_t elements;
  std::uint64_t* out;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(*in)), updates(out, sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    if (phase == 0) {
      static_cast<std::uint64_t*>(thread.shared)[thread.index] = sum_of_share<std::uint64_t>(in, elements, thread);
      return;
    }
    std::uint64_t sum = 0;
    if (sum_of_block(thread, phase, sum)) thread.atomic_add(out, sum);
  }
};

/// partial[b] = sum of the b-th block's share of in[0..elements), in double precision.
/// Launch with the `sum_shape` of the elements.
template <typename T>
struct SumPartially {
  static constexpr std::string_view name = "sum_partially";
  static constexpr unsigned phases = 3;
  using Element = T;
  const T* in;
  std::size_t elements;
  double* partial;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(T)), writes(partial, sum_shape<T>(elements).blocks * sizeof(double))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    if (phase == 0) {
      static_cast<double*>(thread.shared)[thread.index] = sum_of_share<double>(in, elements, thread);
      return;
    }
    double sum = 0.0;
    if (sum_of_block(thread, phase, sum)) partial[thread.block] = sum;
  }
};

namespace families {
using reduce = Family<SumIntegers, SumPartially<float>, SumPartially<double>>;
}
template <typename Functor>
requires(families::reduce::has<Functor>) struct FamilyOf<Functor> : families::reduce {
};

}  // namespace gpucheck::device::kernels
