#pragma once

#include <cstddef>
#include <cstdint>

#include "device/values/handles.hpp"

/// Plain CUDA loops over memory, with nothing around them, for benchmarks to compare with. The thread's device must be
/// current. False when CUDA returns an error.
namespace gpucheck::cuda::benchmarks {

/// How a loop is launched. The fastest differs from device to device: try them all.
struct LoopShape {
  unsigned loads = 1;    ///< 16 bytes each that a thread has on their way: 1, 2, 4 or 8
  unsigned threads = 0;  ///< of a block
  unsigned waves = 0;    ///< how often as many blocks as fit at once; 0: a block for each turn of the loop
};

/// Reads `bytes`, a multiple of 128 KiB. A word that cannot be predicted is counted, so that nothing is left out.
bool read_bare(const LoopShape& shape, const void* data, std::size_t bytes, std::uint64_t* counter,
               device::Stream stream) noexcept;

/// Reads, compares with `word` and writes its complement in place; vectors that differ are counted.
bool invert_bare(const LoopShape& shape, void* data, std::size_t bytes, std::uint64_t word, std::uint64_t* counter,
                 device::Stream stream) noexcept;

}  // namespace gpucheck::cuda::benchmarks
