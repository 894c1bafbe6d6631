#pragma once

#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels::detail {

constexpr unsigned warp_threads = 32;

/// The sum of a warp's numbers in the order of a reduction by shuffles. Overwrites them.
template <typename T>
GPUCHECK_HOST_DEVICE T sum_of_warp(T* values) {
  for (unsigned offset = warp_threads / 2; offset > 0; offset /= 2) {
    for (unsigned lane = 0; lane < offset; ++lane) values[lane] += values[lane + offset];
  }
  return values[0];
}

}  // namespace gpucheck::device::kernels::detail
