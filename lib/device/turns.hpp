#pragma once

#include <cstddef>

#include "device/device.hpp"

/// How many invocations to launch of a kernel that passes through memory, each taking every n-th vector, so that a GPU
/// does so at its memory's speed. Measured on an H200, over 4 GiB with four vectors of 16 bytes a turn, beside the
/// fastest loop that there is.
namespace gpucheck::device {

/// For a kernel that writes: one turn each. Memory is then written in order, at 99 % of that loop; by as many
/// invocations as run at once, with many turns each, at 92 %.
constexpr std::size_t invocations_that_write(std::size_t vectors, std::size_t loads) {
  return (vectors + loads - 1) / loads;
}

/// For a kernel that reads, and adds to counters at each invocation's end: eight times as many as run at once, at 99 %;
/// with a turn each, for which the counters are added to most often, at 80 %; with as many as run at once, at 98 %.
constexpr std::size_t invocations_that_read(std::size_t vectors, std::size_t loads,
                                            const DeviceProperties& properties) {
  const std::size_t resident = static_cast<std::size_t>(properties.multiprocessor_count) *
                               static_cast<std::size_t>(properties.max_threads_per_multiprocessor);
  const std::size_t turns = invocations_that_write(vectors, loads);
  return turns < 8 * resident ? turns : 8 * resident;
}

}  // namespace gpucheck::device
