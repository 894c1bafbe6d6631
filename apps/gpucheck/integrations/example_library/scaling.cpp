#include "scaling.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "device/check.hpp"
#include "device/launch.hpp"
#include "runtime/memory/buffer.hpp"
#include "runtime/memory/pinned_buffer.hpp"
#include "runtime/memory/transfer.hpp"
#include "runtime/streams/stream.hpp"

namespace stream_code {

/// A kernel of one's own: what it does for one index, and what memory a launch touches. Races are found by the latter.
struct Scale {
  static constexpr std::string_view name = "scale";
  float* values;
  float factor;
  [[nodiscard]] std::array<gpucheck::device::MemoryAccess, 1> accesses(std::size_t count) const {
    return {gpucheck::device::updates(values, count * sizeof(float))};
  }
  void operator()(const gpucheck::device::kernels::Thread& thread) const { values[thread.index] *= factor; }
};

}  // namespace stream_code

template <>
struct gpucheck::device::kernels::FamilyOf<stream_code::Scale> : Family<stream_code::Scale> {};

namespace stream_code {

using gpucheck::runtime::Buffer;
using gpucheck::runtime::PinnedBuffer;
using gpucheck::runtime::Runtime;
using gpucheck::runtime::Stream;
using gpucheck::runtime::Transfer;

std::vector<float> scaled(Runtime& runtime, std::span<const float> values, float factor, Wait wait) {
  const Stream copying = Stream::from_pool(runtime);
  const Stream computing = Stream::from_pool(runtime);
  const PinnedBuffer<float> source(runtime, values.size());
  const PinnedBuffer<float> products(runtime, values.size());
  Buffer<float> on_device(runtime, values.size(), copying.raw());
  on_device.record_stream(computing.raw());

  std::ranges::copy(values, source.host_write().begin());
  copy_to_device(runtime, on_device.data(), {source.data(), source.context()}, source.size_bytes(),
                 Transfer::non_blocking, copying.raw());
  if (wait == Wait::for_copy) computing.wait_stream(copying);
  gpucheck::device::check(
      gpucheck::device::launch(runtime.device(), Scale{on_device.data(), factor}, values.size(), computing.raw()),
      "scale");
  copy_to_host(runtime, {products.data(), products.context()}, on_device.data(), products.size_bytes(),
               Transfer::non_blocking, computing.raw());
  computing.synchronize();

  const std::span<const float> result = products.host_read();
  return {result.begin(), result.end()};
}

}  // namespace stream_code
