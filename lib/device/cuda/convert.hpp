#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>

#include "device/values/handles.hpp"
#include "device/values/status.hpp"

/// Between the seam's types and CUDA's. Nothing is interpreted: numbers and handles
/// pass through unchanged.
namespace gpucheck::cuda {

constexpr device::Status to_status(cudaError_t error) noexcept {
  return static_cast<device::Status>(static_cast<int>(error));
}

/// `value` when the call succeeded, else its code.
template <typename T>
device::Result<T> to_result(cudaError_t error, T value) {
  if (error != cudaSuccess) return to_status(error);
  return value;
}

inline cudaStream_t raw(device::Stream stream) noexcept { return reinterpret_cast<cudaStream_t>(stream.value); }
inline cudaEvent_t raw(device::Event event) noexcept { return reinterpret_cast<cudaEvent_t>(event.value); }
inline cudaGraph_t raw(device::Graph graph) noexcept { return reinterpret_cast<cudaGraph_t>(graph.value); }
inline cudaGraphNode_t raw(device::GraphNode node) noexcept { return reinterpret_cast<cudaGraphNode_t>(node.value); }
inline cudaGraphExec_t raw(device::GraphExec executable) noexcept {
  return reinterpret_cast<cudaGraphExec_t>(executable.value);
}

template <typename Handle, typename Raw>
Handle wrap(Raw handle) noexcept {
  return Handle{reinterpret_cast<std::uintptr_t>(handle)};
}

}  // namespace gpucheck::cuda
