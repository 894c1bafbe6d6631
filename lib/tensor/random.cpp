#include "tensor/random.hpp"

#include <algorithm>

#include "device/check.hpp"
#include "device/kernels/random.hpp"
#include "device/launch.hpp"

namespace gpucheck::tensor::ops {
namespace {

/// Threads of PyTorch's distribution kernels: blocks of 256, as many as are needed, at
/// most as many as fit on the device at once.
std::uint64_t sequence_count(const device::Device& device, std::size_t count) {
  constexpr std::uint64_t block = 256;
  const auto& properties = device.properties();
  const auto blocks_at_once = static_cast<std::uint64_t>(properties.multiprocessor_count) *
                              (static_cast<std::uint64_t>(properties.max_threads_per_multiprocessor) / block);
  return block * std::min<std::uint64_t>((count + block - 1) / block, blocks_at_once);
}

}  // namespace

Buffer<float> rand(Runtime& runtime, std::size_t count, PhiloxState random, device::Stream stream) {
  Buffer<float> result(runtime, count, stream);
  if (count == 0) return result;
  constexpr std::uint64_t words_at_once = 4;
  const device::kernels::DrawUniform draw{result.data(), random.seed, random.offset / words_at_once,
                                          sequence_count(runtime.device(), count)};
  device::check(device::launch(runtime.device(), draw, count, stream), device::kernels::DrawUniform::name);
  return result;
}

}  // namespace gpucheck::tensor::ops
