#include "tensor/host_copies.hpp"

#include <cstdint>

namespace gpucheck::tensor::ops {

template <typename From, typename To>
void copy_converted(Runtime& runtime, To* out, runtime::HostMemory<const From> in, std::size_t count,
                    runtime::Transfer transfer, device::Stream stream) {
  const Buffer<From> moved = runtime::to_device<From>(runtime, in, count, transfer, stream);
  convert(runtime, moved.data(), out, count, stream);
  if (transfer == runtime::Transfer::blocking) device::check(runtime.device().synchronize(stream), "synchronize");
}

template <typename T>
PinnedArray<T> pin_memory(Runtime& runtime, View<const T> source) {
  PinnedArray<T> pinned{runtime::PinnedBuffer<T>(runtime, source.layout.extent()), source.layout};
  const std::span<T> elements = pinned.memory.host_write();
  for (std::size_t i = 0; i < source.layout.count(); ++i) {
    const std::size_t at = source.layout.offset(i);
    elements[at] = source.data[at];
  }
  return pinned;
}

template void copy_converted(Runtime&, std::int64_t*, runtime::HostMemory<const float>, std::size_t, runtime::Transfer,
                             device::Stream);
template PinnedArray<std::int64_t> pin_memory(Runtime&, View<const std::int64_t>);

}  // namespace gpucheck::tensor::ops
