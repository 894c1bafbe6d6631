#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"
#include "device/kernels/support/vectors.hpp"
#include "device/values/kernel.hpp"

namespace gpucheck::device::kernels {

/// How a sum is shared out among blocks. It depends on the count alone, and so does the
/// order of additions.
struct SumShape {
  std::size_t blocks = 0;
  unsigned threads = 0;     ///< of each block: a power of two
  unsigned group_bits = 0;  ///< 1 << group_bits threads of a block read side by side
  std::size_t share = 0;    ///< elements of each group

  [[nodiscard]] constexpr std::size_t count() const { return blocks * threads; }
  [[nodiscard]] constexpr BlockShape block() const { return {.threads = threads, .shared_bytes = threads * 8U}; }
};

/// Blocks come in waves of as many as fit on a GPU (about 1,300 on an H200), and the last wave
/// is seldom full: with this many blocks that costs a few percent at most.
inline constexpr std::size_t max_sum_blocks = 16384;
inline constexpr unsigned max_sum_threads = 128;
/// Threads of the one block that adds up the blocks' sums.
inline constexpr unsigned max_last_sum_threads = 512;
/// Vectors that each thread adds at least: with fewer, a block's last phases would count.
inline constexpr std::size_t min_sum_vectors = 32;
/// A warp reads side by side. The least that it reads, 16 KiB, stays in a host's first-level
/// cache while one thread after the other runs.
inline constexpr unsigned max_group_bits = 5;

template <typename T>
constexpr SumShape sum_shape(std::size_t elements, std::size_t max_blocks = max_sum_blocks,
                             unsigned max_threads = max_sum_threads) {
  constexpr std::size_t min_share = min_sum_vectors * Vector<T>::width;
  const std::size_t shares = elements / min_share + (elements % min_share != 0 ? 1 : 0);
  SumShape shape{.blocks = 1, .threads = 1};
  for (; shape.threads < max_threads && shape.threads < shares; shape.threads *= 2) {
    if (shape.group_bits < max_group_bits) ++shape.group_bits;
  }
  const std::size_t blocks = shares / shape.threads + (shares % shape.threads != 0 ? 1 : 0);
  if (blocks > 1) shape.blocks = blocks < max_blocks ? blocks : max_blocks;
  const std::size_t groups = shape.count() >> shape.group_bits;
  const std::size_t step = Vector<T>::width << shape.group_bits;
  const std::size_t steps = elements / step + (elements % step != 0 ? 1 : 0);
  shape.share = (steps / groups + (steps % groups != 0 ? 1 : 0)) * step;
  return shape;
}

/// The shape of the sum of the blocks' sums.
constexpr SumShape last_sum_shape(std::size_t elements) { return sum_shape<double>(elements, 1, max_last_sum_threads); }

/// A thread's part in the sum of in[0..elements): vectors of its group's share, as far apart
/// as the group is wide, each lane added up on its own.
template <typename Sum, typename T>
GPUCHECK_HOST_DEVICE Sum sum_of_share(const T* in, std::size_t elements, const SumShape& shape,
                                      const BlockThread& thread) {
  constexpr std::size_t width = Vector<T>::width;
  const std::size_t step = width << shape.group_bits;
  const std::size_t begin = (thread.global_index() >> shape.group_bits) * shape.share;
  const std::size_t end = begin + shape.share < elements ? begin + shape.share : elements;
  Sum sums[width] = {};
  std::size_t at = begin + (thread.index & ((1U << shape.group_bits) - 1)) * width;
  constexpr std::size_t loads = 2;  // in flight at once; with more, registers limit the blocks on a GPU
  if (can_load_vectors(in)) {
    for (; at + (loads - 1) * step + width <= end; at += loads * step) {
      Vector<T> vectors[loads];
      for (std::size_t i = 0; i < loads; ++i) vectors[i] = load_vector(in + at + i * step);
      for (std::size_t i = 0; i < loads; ++i) {
        for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += static_cast<Sum>(vectors[i].lanes[lane]);
      }
    }
  }
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

/// *out += sum of in[0..elements); wraps. Launch with `shape`.
struct SumIntegers {
  static constexpr std::string_view name = "sum_integers";
  static constexpr unsigned phases = 3;
  const std::int64_t* in;
  std::size_t elements;
  std::uint64_t* out;
  SumShape shape = sum_shape<std::int64_t>(elements);
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(*in)), updates(out, sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    if (phase == 0) {
      static_cast<std::uint64_t*>(thread.shared)[thread.index] =
          sum_of_share<std::uint64_t>(in, elements, shape, thread);
      return;
    }
    std::uint64_t sum = 0;
    if (sum_of_block(thread, phase, sum)) thread.atomic_add(out, sum);
  }
};

/// partial[b] = sum of the b-th block's shares of in[0..elements), in double precision.
/// Launch with `shape`.
template <typename T>
struct SumPartially {
  static constexpr std::string_view name = "sum_partially";
  static constexpr unsigned phases = 3;
  const T* in;
  std::size_t elements;
  double* partial;
  SumShape shape = sum_shape<T>(elements);
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t) const {
    return {reads(in, elements * sizeof(T)), writes(partial, shape.blocks * sizeof(double))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const BlockThread& thread, unsigned phase) const {
    if (phase == 0) {
      static_cast<double*>(thread.shared)[thread.index] = sum_of_share<double>(in, elements, shape, thread);
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
