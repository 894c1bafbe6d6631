#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/kernel.hpp"
#include "device/kernels/support/family.hpp"
#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// *byte ^= mask, as a failing memory cell would. Launch with a count of 1.
struct FlipBit {
  static constexpr std::string_view name = "flip_bit";
  std::uint8_t* byte;
  std::uint8_t mask;
  [[nodiscard]] std::array<MemoryAccess, 1> accesses(std::size_t) const { return {updates(byte, 1)}; }
  GPUCHECK_HOST_DEVICE void operator()(const Thread&) const { *byte = static_cast<std::uint8_t>(*byte ^ mask); }
};

namespace families {
using flip_bit = Family<FlipBit>;
}
template <typename Functor>
requires(families::flip_bit::has<Functor>) struct FamilyOf<Functor> : families::flip_bit {
};

}  // namespace gpucheck::device::kernels
