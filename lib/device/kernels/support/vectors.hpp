#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/kernels/support/thread.hpp"

namespace gpucheck::device::kernels {

/// Sixteen bytes at once: the widest load and store of a GPU thread.
template <typename T>
struct alignas(16) Vector {
  static constexpr std::size_t width = 16 / sizeof(T);
  T lanes[width];
};

/// Whether vectors can be loaded and stored at an address.
template <typename T>
GPUCHECK_HOST_DEVICE bool has_whole_vectors(const T* data) {
  return reinterpret_cast<std::uintptr_t>(data) % alignof(Vector<T>) == 0;
}

/// Whether `load_vector` may be used: on a GPU for whole vectors only, on a host anywhere.
template <typename T>
GPUCHECK_HOST_DEVICE bool can_load_vectors([[maybe_unused]] const T* data) {
#if defined(__CUDA_ARCH__)
  return has_whole_vectors(data);
#else
  return true;
#endif
}

template <typename T>
GPUCHECK_HOST_DEVICE Vector<T> load_vector(const T* data) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<const Vector<T>*>(data);
#else
  Vector<T> vector;
  std::memcpy(&vector, data, sizeof(vector));
  return vector;
#endif
}

/// How many invocations share a pass over `items` when each takes every n-th: enough to
/// fill any GPU, few enough that one atomic addition by each costs little.
constexpr std::size_t sharing_invocations(std::size_t items) {
  constexpr std::size_t max_invocations = 32768;
  constexpr std::size_t min_share = 4;
  const std::size_t wanted = (items + min_share - 1) / min_share;
  return wanted < max_invocations ? wanted : max_invocations;
}

}  // namespace gpucheck::device::kernels
