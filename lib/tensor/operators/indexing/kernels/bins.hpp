#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernels/support/family.hpp"
#include "tensor/iterator/atomic_addition.hpp"
#include "tensor/iterator/wide_plan.hpp"

namespace gpucheck::device::kernels {

/// counts[in[i]] += 1, or weights[i], of the counts' type: int64, float or double.
struct CountBins {
  static constexpr std::string_view name = "bincount";
  const void* in;
  DType in_dtype;
  const void* weights;  ///< null: each counts 1
  void* counts;
  DType dtype;  ///< of weights and counts
  std::int64_t bins;
  std::int64_t elements;
  WidePlan<2> plan;  ///< operand 0: in, 1: weights

  [[nodiscard]] std::size_t invocations() const { return static_cast<std::size_t>(elements); }
  [[nodiscard]] std::array<MemoryAccess, 3> accesses(std::size_t) const {
    MemoryAccess changed =
        updates(static_cast<const std::byte*>(counts), static_cast<std::size_t>(bins) * element_bytes(dtype));
    changed.alignment = element_bytes(dtype);
    return {plan.access(AccessMode::read, in, in_dtype, 0), changed,
            weights == nullptr ? MemoryAccess{} : plan.access(AccessMode::read, weights, dtype, 1)};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const auto [bin, at] = bin_of(static_cast<std::int64_t>(thread.index));
    if (GPUCHECK_DEVICE_ASSERT(thread, bin >= 0 && bin < bins)) count(bin, at);
  }
  void run_whole_on_host() const {
    for (std::int64_t i = 0; i < elements; ++i) {
      const auto [bin, at] = bin_of(i);
      count(bin, at);
    }
  }

 private:
  struct BinAndWeight {
    std::int64_t bin;
    const std::byte* weight;
  };
  [[nodiscard]] GPUCHECK_HOST_DEVICE BinAndWeight bin_of(std::int64_t number) const {
    std::int64_t offsets[2];
    plan.offsets(number, offsets);
    const auto bin = load_as<std::int64_t>(static_cast<const std::byte*>(in) + offsets[0], in_dtype);
    return {bin, static_cast<const std::byte*>(weights) + (weights == nullptr ? 0 : offsets[1])};
  }
  GPUCHECK_HOST_DEVICE void count(std::int64_t bin, const std::byte* weight) const {
    if (weights == nullptr) {
      add_in_memory(static_cast<std::int64_t*>(counts) + bin, std::int64_t{1});
    } else if (dtype == DType::float32) {
      add_in_memory(static_cast<float*>(counts) + bin, *reinterpret_cast<const float*>(weight));
    } else {
      add_in_memory(static_cast<double*>(counts) + bin, *reinterpret_cast<const double*>(weight));
    }
  }
};

namespace families {
using bins = Family<CountBins>;
}
template <typename Functor>
requires(families::bins::has<Functor>) struct FamilyOf<Functor> : families::bins {
};

}  // namespace gpucheck::device::kernels
