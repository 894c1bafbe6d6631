#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernels/thread.hpp"

namespace gpucheck::device::kernels {

/// Sixteen bytes at once: the widest load and store of a GPU thread.
template <typename T>
struct alignas(16) Vector {
  static constexpr std::size_t width = 16 / sizeof(T);
  T lanes[width];
};

/// How many invocations share a pass over `items` when each takes every n-th: enough to
/// fill any GPU, few enough that one atomic addition by each costs little.
constexpr std::size_t sharing_invocations(std::size_t items) {
  constexpr std::size_t most = 32768;
  constexpr std::size_t least_share = 4;
  const std::size_t wanted = (items + least_share - 1) / least_share;
  return wanted < most ? wanted : most;
}

}  // namespace gpucheck::device::kernels
