#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device/sim/tests/fixture.hpp"

/// Kernels that do nothing and say that they touch something.
namespace gpucheck::sim {

template <char letter>
const device::Kernel& idle_kernel() {
  static constexpr char name[] = {letter, '\0'};
  static const device::Kernel kernel{
      .name = name,
      .run_on_host = [](const void*, std::size_t, const device::BlockShape&, device::FailedAssertion&) {}};
  return kernel;
}

inline device::Status touch(device::Device& device, const device::Kernel& kernel,
                            const std::vector<device::MemoryAccess>& accesses, device::Stream stream) {
  static const std::byte nothing{};
  return device.launch({.kernel = &kernel, .functor = &nothing, .count = 1, .accesses = accesses}, stream);
}

using Integers = std::vector<std::int64_t>;

/// Columns [first, end) of a matrix of so many rows and columns.
inline device::MemoryAccess columns(device::AccessMode mode, const std::int32_t* matrix, std::int64_t rows,
                                    std::int64_t all, std::int64_t first, std::int64_t end) {
  return device::strided(mode, matrix + first, sizeof(*matrix), Integers{rows, end - first}, Integers{all, 1},
                         alignof(std::int32_t));
}

}  // namespace gpucheck::sim
