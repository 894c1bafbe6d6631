#pragma once

#include "base/rounding.hpp"
#include "base/text/units.hpp"
#include "harness/case/context.hpp"
#include "tensor/view.hpp"

namespace gpucheck::cases {

/// The elements of so many bytes of floats that a case works on: all on a GPU, one in 64 KiB
/// on the simulated device, whose kernels run on the host.
inline tensor::Layout sampled_floats(harness::Context& context, std::uint64_t bytes) {
  using namespace literals;
  const std::size_t stride = context.driver().kind() == "sim" ? 64_KiB / sizeof(float) : 1;
  return {.rank = 1, .sizes = {divide_up(bytes / sizeof(float), stride)}, .strides = {stride}};
}

}  // namespace gpucheck::cases
