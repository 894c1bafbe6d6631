#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/philox.hpp"
#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// out[i] = a number in [0, 1), the one that PyTorch draws there. Its kernels share the
/// elements among `sequences` threads: each draws four words at a time and writes them
/// `sequences` elements apart.
struct DrawUniform {
  static constexpr std::string_view name = "draw_uniform";
  float* out;
  std::uint64_t seed;
  std::uint64_t position;  ///< of the first four words in each sequence
  std::uint64_t sequences;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t count) const {
    return {writes(out, count * sizeof(*out))};
  }
  GPUCHECK_HOST_DEVICE void operator()(const Thread& thread) const {
    const std::uint64_t draw = thread.index / sequences;
    const PhiloxWords words = philox(seed, thread.index % sequences, position + draw / 4);
    const float value = static_cast<float>(words.word[draw % 4]) * 0x1p-32F + 0x1p-33F;
    out[thread.index] = value == 1.0F ? 0.0F : value;
  }
};

namespace families {
using random = Family<DrawUniform>;
}
template <typename Functor>
requires(families::random::has<Functor>) struct FamilyOf<Functor> : families::random {
};

}  // namespace gpucheck::device::kernels
