#include <span>
#include <vector>

#include "device/cuda/cuda_device.hpp"

namespace gpucheck::cuda {
namespace {

using device::CaptureInfo;
using device::CaptureMode;
using device::CaptureStatus;
using device::Graph;
using device::GraphExec;
using device::GraphNode;
using device::Result;
using device::Status;
using device::Stream;

cudaStreamCaptureMode raw(CaptureMode mode) {
  switch (mode) {
    case CaptureMode::global:
      return cudaStreamCaptureModeGlobal;
    case CaptureMode::thread_local_:
      return cudaStreamCaptureModeThreadLocal;
    default:
      return cudaStreamCaptureModeRelaxed;
  }
}

CaptureMode capture_mode(cudaStreamCaptureMode mode) {
  switch (mode) {
    case cudaStreamCaptureModeThreadLocal:
      return CaptureMode::thread_local_;
    case cudaStreamCaptureModeRelaxed:
      return CaptureMode::relaxed;
    default:
      return CaptureMode::global;
  }
}

CaptureStatus capture_status(cudaStreamCaptureStatus status) {
  switch (status) {
    case cudaStreamCaptureStatusActive:
      return CaptureStatus::active;
    case cudaStreamCaptureStatusInvalidated:
      return CaptureStatus::invalidated;
    default:
      return CaptureStatus::none;
  }
}

std::vector<GraphNode> wrapped(std::span<const cudaGraphNode_t> nodes) {
  std::vector<GraphNode> result;
  result.reserve(nodes.size());
  for (cudaGraphNode_t node : nodes) result.push_back(wrap<GraphNode>(node));
  return result;
}

}  // namespace

Status CudaDevice::begin_capture(Stream stream, CaptureMode mode) {
  return status_of([&] { return cudaStreamBeginCapture(cuda::raw(stream), raw(mode)); });
}

Result<Graph> CudaDevice::end_capture(Stream stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t error = call([&] { return cudaStreamEndCapture(cuda::raw(stream), &graph); });
  return to_result(error, wrap<Graph>(graph));
}

Result<CaptureInfo> CudaDevice::capture_info(Stream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  const cudaError_t error = call([&] { return cudaStreamGetCaptureInfo(cuda::raw(stream), &status, &id); });
  // The id is valid only while the capture is active.
  const bool active = status == cudaStreamCaptureStatusActive;
  return to_result(error, CaptureInfo{.status = capture_status(status), .id = active ? id : 0});
}

Result<std::vector<GraphNode>> CudaDevice::capture_dependencies(Stream stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
  const cudaError_t error = call(
      [&] { return cudaStreamGetCaptureInfo(cuda::raw(stream), &status, nullptr, nullptr, &nodes, &edges, &count); });
  // All but the status is valid only while the capture is active.
  const bool active = error == cudaSuccess && status == cudaStreamCaptureStatusActive;
  return to_result(error, active ? wrapped({nodes, count}) : std::vector<GraphNode>{});
}

Result<std::vector<GraphNode>> CudaDevice::node_dependencies(GraphNode node) {
  std::vector<cudaGraphNode_t> nodes;
  std::vector<cudaGraphEdgeData> edges;
  const cudaError_t error = call([&] {
    std::size_t count = 0;
    const cudaError_t counted = cudaGraphNodeGetDependencies(cuda::raw(node), nullptr, nullptr, &count);
    if (counted != cudaSuccess || count == 0) return counted;
    nodes.resize(count);
    edges.resize(count);
    return cudaGraphNodeGetDependencies(cuda::raw(node), nodes.data(), edges.data(), &count);
  });
  return to_result(error, wrapped(nodes));
}

Result<CaptureMode> CudaDevice::exchange_capture_mode(CaptureMode mode) {
  cudaStreamCaptureMode exchanged = raw(mode);
  const cudaError_t error = call([&] { return cudaThreadExchangeStreamCaptureMode(&exchanged); });
  return to_result(error, capture_mode(exchanged));
}

Result<std::size_t> CudaDevice::node_count(Graph graph) {
  std::size_t count = 0;
  const cudaError_t error = call([&] { return cudaGraphGetNodes(cuda::raw(graph), nullptr, &count); });
  return to_result(error, count);
}

Result<GraphExec> CudaDevice::instantiate(Graph graph) {
  cudaGraphExec_t executable = nullptr;
  const cudaError_t error = call(
      [&] { return cudaGraphInstantiate(&executable, cuda::raw(graph), cudaGraphInstantiateFlagAutoFreeOnLaunch); });
  return to_result(error, wrap<GraphExec>(executable));
}

Status CudaDevice::launch(GraphExec executable, Stream stream) {
  return status_of([&] { return cudaGraphLaunch(cuda::raw(executable), cuda::raw(stream)); });
}

Status CudaDevice::update(GraphExec executable, Graph graph) {
  cudaGraphExecUpdateResultInfo details{};
  return status_of([&] { return cudaGraphExecUpdate(cuda::raw(executable), cuda::raw(graph), &details); });
}

Status CudaDevice::destroy_graph(Graph graph) {
  return status_of([&] { return cudaGraphDestroy(cuda::raw(graph)); });
}

Status CudaDevice::destroy_executable(GraphExec executable) {
  return status_of([&] { return cudaGraphExecDestroy(cuda::raw(executable)); });
}

}  // namespace gpucheck::cuda
