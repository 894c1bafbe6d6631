#include <algorithm>
#include <type_traits>

#include "device/cuda/benchmarks/bare_memory.hpp"
#include "device/cuda/convert.hpp"

namespace gpucheck::cuda::benchmarks {
namespace {

using Counter = unsigned long long;

template <unsigned loads>
__global__ void read_loop(const ulonglong2* data, std::size_t vectors, Counter* counter) {
  const std::size_t turn = std::size_t{blockDim.x} * loads;
  Counter sum = 0;
  for (std::size_t at = blockIdx.x * turn + threadIdx.x; at < vectors; at += gridDim.x * turn) {
    ulonglong2 read[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) read[i] = data[at + i * blockDim.x];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) sum += read[i].x ^ read[i].y;
  }
  if (sum == 1) atomicAdd(counter, Counter{1});
}

template <unsigned loads>
__global__ void invert_loop(ulonglong2* data, std::size_t vectors, Counter word, Counter* counter) {
  const std::size_t turn = std::size_t{blockDim.x} * loads;
  Counter differing = 0;
  for (std::size_t at = blockIdx.x * turn + threadIdx.x; at < vectors; at += gridDim.x * turn) {
    ulonglong2 read[loads];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) read[i] = data[at + i * blockDim.x];
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) differing |= (read[i].x ^ word) | (read[i].y ^ word);
#pragma unroll
    for (unsigned i = 0; i < loads; ++i) data[at + i * blockDim.x] = make_ulonglong2(~word, ~word);
  }
  if (differing != 0) atomicAdd(counter, Counter{1});
}

unsigned blocks(const LoopShape& shape, std::size_t vectors) {
  const std::size_t turns = vectors / (std::size_t{shape.threads} * shape.loads);
  if (shape.waves == 0) return static_cast<unsigned>(turns);
  int device = 0;
  int multiprocessors = 1;
  int threads = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  const unsigned resident = static_cast<unsigned>(multiprocessors) * (static_cast<unsigned>(threads) / shape.threads);
  return static_cast<unsigned>(std::min<std::size_t>(turns, resident * shape.waves));
}

/// Calls `launch` with the number of loads as a constant.
template <typename Launch>
bool with_loads(unsigned loads, Launch launch) {
  switch (loads) {
    case 1:
      launch(std::integral_constant<unsigned, 1>{});
      break;
    case 2:
      launch(std::integral_constant<unsigned, 2>{});
      break;
    case 4:
      launch(std::integral_constant<unsigned, 4>{});
      break;
    case 8:
      launch(std::integral_constant<unsigned, 8>{});
      break;
    default:
      return false;
  }
  return cudaGetLastError() == cudaSuccess;
}

}  // namespace

bool read_bare(const LoopShape& shape, const void* data, std::size_t bytes, std::uint64_t* counter,
               device::Stream stream) noexcept {
  const std::size_t vectors = bytes / sizeof(ulonglong2);
  return with_loads(shape.loads, [&](auto loads) {
    read_loop<decltype(loads)::value><<<blocks(shape, vectors), shape.threads, 0, raw(stream)>>>(
        static_cast<const ulonglong2*>(data), vectors, reinterpret_cast<Counter*>(counter));
  });
}

bool invert_bare(const LoopShape& shape, void* data, std::size_t bytes, std::uint64_t word, std::uint64_t* counter,
                 device::Stream stream) noexcept {
  const std::size_t vectors = bytes / sizeof(ulonglong2);
  return with_loads(shape.loads, [&](auto loads) {
    invert_loop<decltype(loads)::value><<<blocks(shape, vectors), shape.threads, 0, raw(stream)>>>(
        static_cast<ulonglong2*>(data), vectors, word, reinterpret_cast<Counter*>(counter));
  });
}

}  // namespace gpucheck::cuda::benchmarks
