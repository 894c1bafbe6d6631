#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/iterator/pointwise_kernels.hpp"

namespace gpucheck::device::kernels {

enum class BitOperation : std::uint8_t { conjunction, disjunction, difference };

/// Bit by bit: and, or, either but not both.
template <typename Number>
struct CombineBits {
  static constexpr std::string_view name = "combine_bits";
  BitOperation operation;
  GPUCHECK_HOST_DEVICE Number operator()(Number a, Number b) const {
    switch (operation) {
      case BitOperation::conjunction:
        return a & b;
      case BitOperation::disjunction:
        return a | b;
      default:
        return a ^ b;
    }
  }
};

namespace families {
using bits = StridedFamily<CombineBits, 2, std::int64_t>;
}
template <typename Functor>
requires(families::bits::has<Functor>) struct FamilyOf<Functor> : families::bits {
};

}  // namespace gpucheck::device::kernels
