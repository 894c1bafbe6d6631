#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/philox.hpp"
#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// A weight that is a number and at least zero; not infinite.
GPUCHECK_HOST_DEVICE inline bool is_finite(double value) { return value - value == 0.0; }

/// part_sums[t] = sum of the t-th part of the weights, each checked on the way. All
/// parts are `part_size` long but the last. First of three steps to running sums.
struct SumWeightParts {
  static constexpr std::string_view name = "sum_weight_parts";
  const float* weights;
  std::size_t categories;
  std::size_t part_size;
  double* part_sums;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(weights, categories * sizeof(*weights)), writes(part_sums, count * sizeof(*part_sums))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t first = thread.index * part_size;
    double sum = 0.0;
    for (std::size_t i = first; i < first + part_size && i < categories; ++i) {
      const float weight = weights[i];
      if (!GPUCHECK_DEVICE_ASSERT(thread, weight == weight && "probability is NaN")) return;
      if (!GPUCHECK_DEVICE_ASSERT(thread, is_finite(static_cast<double>(weight)) && "probability is infinite")) return;
      if (!GPUCHECK_DEVICE_ASSERT(thread, weight >= 0.0F && "probability is negative")) return;
      sum += static_cast<double>(weight);
    }
    part_sums[thread.index] = sum;
  }
};

/// part_sums[t] becomes the sum of all parts before t. Launch with a count of 1.
struct AccumulateParts {
  static constexpr std::string_view name = "accumulate_parts";
  double* part_sums;
  std::size_t parts;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const {
    return {updates(part_sums, parts * sizeof(*part_sums))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    double before = 0.0;
    for (std::size_t i = 0; i < parts; ++i) {
      const double sum = part_sums[i];
      part_sums[i] = before;
      before += sum;
    }
    static_cast<void>(GPUCHECK_DEVICE_ASSERT(thread, before > 0.0 && is_finite(before) && "sum of probabilities"));
  }
};

/// running[i] = weights[0] + ... + weights[i]; one invocation for each part.
struct AccumulateWeights {
  static constexpr std::string_view name = "accumulate_weights";
  const float* weights;
  std::size_t categories;
  std::size_t part_size;
  const double* before_part;
  double* running;
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t count) const {
    return {reads(weights, categories * sizeof(*weights)), reads(before_part, count * sizeof(*before_part)),
            writes(running, categories * sizeof(*running))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::size_t first = thread.index * part_size;
    double sum = before_part[thread.index];
    for (std::size_t i = first; i < first + part_size && i < categories; ++i) {
      sum += static_cast<double>(weights[i]);
      running[i] = sum;
    }
  }
};

/// out[i] = the first category whose running sum reaches a random share of the total;
/// a category of weight zero is never the first.
struct DrawCategories {
  static constexpr std::string_view name = "multinomial";
  const double* running;
  std::size_t categories;
  std::uint64_t seed;
  std::uint64_t offset;
  std::int64_t* out;
  [[nodiscard]] std::array<MemoryAccess, 2> accesses(std::size_t count) const {
    return {reads(running, categories * sizeof(*running)), writes(out, count * sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const double uniform = to_uniform(philox(seed, thread.index, offset / 4).word[offset % 4]);
    const double wanted = uniform * running[categories - 1];
    std::size_t low = 0;
    std::size_t high = categories - 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (running[middle] < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[thread.index] = static_cast<std::int64_t>(low);
  }
};

namespace families {
using sampling = Family<SumWeightParts, AccumulateParts, AccumulateWeights, DrawCategories>;
}
template <typename Functor>
requires(families::sampling::has<Functor>) struct FamilyOf<Functor> : families::sampling {
};

}  // namespace gpucheck::device::kernels
