#include "device/cuda/tests/normal_radius.hpp"
#include "device/kernels/support/distributions.hpp"

namespace gpucheck::cuda::test {
namespace {

namespace kernels = device::kernels;

__global__ void count_another_radius(unsigned long long* count) {
  const std::uint32_t stride = gridDim.x * blockDim.x;  // a power of two: all words are seen once
  const std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long found = 0;
  std::uint32_t word = first;
  do {
    const float expected = sqrtf(-2.0F * logf(kernels::uniform_of(word)));
    if (__float_as_uint(kernels::radius_of(word)) != __float_as_uint(expected)) ++found;
    word += stride;
  } while (word != first);
  if (found != 0) atomicAdd(count, found);
}

}  // namespace

std::optional<std::uint64_t> words_of_another_radius() {
  constexpr unsigned blocks = 1024;
  constexpr unsigned threads = 256;
  unsigned long long* count = nullptr;
  if (cudaMalloc(&count, sizeof(*count)) != cudaSuccess) return std::nullopt;
  unsigned long long found = ~0ULL;
  cudaMemset(count, 0, sizeof(*count));
  count_another_radius<<<blocks, threads>>>(count);
  cudaMemcpy(&found, count, sizeof(found), cudaMemcpyDeviceToHost);
  cudaFree(count);
  return found;
}

}  // namespace gpucheck::cuda::test
