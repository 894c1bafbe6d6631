#pragma once

#include "cases/support.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_graph {

/// Elements of the tensors in the seed's graph tests.
inline constexpr std::size_t element_count = 1000;

/// Sum of an integer tensor, worked out on the device, on the current stream.
inline std::int64_t sum(runtime::Runtime& runtime, const runtime::Buffer<std::int64_t>& values) {
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<std::int64_t> total(runtime, 1, stream);
  tensor::ops::sum(runtime, values.data(), values.size(), total.data(), stream);
  return read_one(runtime, total.data(), stream);
}

/// `times` times "values = values + amount" on the current stream, each into fresh
/// memory as a tensor expression would; the last result.
inline runtime::Buffer<std::int64_t> add_repeatedly(runtime::Runtime& runtime,
                                                    const runtime::Buffer<std::int64_t>& values, std::int64_t amount,
                                                    int times) {
  const device::Stream stream = runtime.current_stream();
  const std::int64_t* source = values.data();
  runtime::Buffer<std::int64_t> result;
  for (int i = 0; i < times; ++i) {
    runtime::Buffer<std::int64_t> next(runtime, values.size(), stream);
    tensor::ops::add(runtime, source, next.data(), next.size(), amount, stream);
    result = std::move(next);
    source = result.data();
  }
  return result;
}

/// Makes the current stream wait for all work submitted to `other`. @throws DeviceError.
inline void wait_for(runtime::Runtime& runtime, device::Stream other) {
  device::Device& device = runtime.device();
  const auto event = device::own<device::UniqueEvent>(device, device.create_event(device::EventKind::no_timing));
  device::check(device, device.record(event.get(), other), "record");
  device::check(device, device.wait(runtime.current_stream(), event.get()), "wait");
}

}  // namespace gpucheck::cases::in_graph
