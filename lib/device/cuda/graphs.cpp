#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/kernels/launch_table.hpp"

namespace gpucheck::cuda {
namespace {

using device::CaptureInfo;
using device::CaptureMode;
using device::CaptureStatus;
using device::Graph;
using device::GraphExec;
using device::GraphNode;
using device::NodeDescription;
using device::NodeKind;
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

NodeKind node_kind(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return NodeKind::kernel;
    case cudaGraphNodeTypeMemcpy:
      return NodeKind::copy;
    case cudaGraphNodeTypeMemset:
      return NodeKind::fill;
    case cudaGraphNodeTypeHost:
      return NodeKind::host_function;
    case cudaGraphNodeTypeEventRecord:
      return NodeKind::event_record;
    case cudaGraphNodeTypeWaitEvent:
      return NodeKind::event_wait;
    case cudaGraphNodeTypeMemAlloc:
      return NodeKind::allocation;
    case cudaGraphNodeTypeMemFree:
      return NodeKind::free;
    default:
      return NodeKind::other;
  }
}

/// The arguments of one of gpucheck's kernels, as `LaunchEntry` says what they are.
void read_arguments(const device::Kernel& kernel, const cudaKernelNodeParams& launch, NodeDescription& node) {
  const auto* functor = static_cast<const std::byte*>(launch.kernelParams[0]);
  node.kernel = kernel.name;
  node.parameters.assign(functor, functor + kernel.functor_bytes);
  std::size_t count = 0;
  std::memcpy(&count, launch.kernelParams[1], sizeof(count));
  node.count = count;
  if (!kernel.by_block) return;
  node.block.threads = launch.blockDim.x;
  std::memcpy(&node.block.shared_bytes, launch.kernelParams[2], sizeof(node.block.shared_bytes));
}

cudaError_t describe_kernel(cudaGraphNode_t raw_node, NodeDescription& node) {
  cudaKernelNodeParams launch{};
  const cudaError_t error = cudaGraphKernelNodeGetParams(raw_node, &launch);
  if (error == cudaErrorInvalidDeviceFunction) {  // not one of this program's own: a library's
    static_cast<void>(cudaGetLastError());
    return cudaSuccess;
  }
  if (error != cudaSuccess) return error;
  if (const device::Kernel* kernel = find_kernel(launch.func)) {
    read_arguments(*kernel, launch, node);
    return cudaSuccess;
  }
  const char* name = nullptr;
  if (cudaFuncGetName(&name, launch.func) == cudaSuccess) {
    node.kernel = name;
  } else {
    static_cast<void>(cudaGetLastError());
  }
  return cudaSuccess;
}

cudaError_t describe_copy(cudaGraphNode_t raw_node, NodeDescription& node) {
  cudaMemcpy3DParms copy{};
  const cudaError_t error = cudaGraphMemcpyNodeGetParams(raw_node, &copy);
  node.destination = copy.dstPtr.ptr;
  node.source = copy.srcPtr.ptr;
  node.bytes = copy.extent.width * copy.extent.height * copy.extent.depth;
  return error;
}

cudaError_t describe_fill(cudaGraphNode_t raw_node, NodeDescription& node) {
  cudaMemsetParams fill{};
  const cudaError_t error = cudaGraphMemsetNodeGetParams(raw_node, &fill);
  node.destination = fill.dst;
  node.bytes = fill.elementSize * fill.width * fill.height;
  return error;
}

cudaError_t describe_allocation(cudaGraphNode_t raw_node, NodeDescription& node) {
  cudaMemAllocNodeParams allocation{};
  const cudaError_t error = cudaGraphMemAllocNodeGetParams(raw_node, &allocation);
  node.destination = allocation.dptr;
  node.bytes = allocation.bytesize;
  return error;
}

cudaError_t describe_free(cudaGraphNode_t raw_node, NodeDescription& node) {
  void* pointer = nullptr;
  const cudaError_t error = cudaGraphMemFreeNodeGetParams(raw_node, &pointer);
  node.destination = pointer;
  return error;
}

cudaError_t describe(cudaGraphNode_t raw_node, NodeDescription& node) {
  cudaGraphNodeType type = cudaGraphNodeTypeCount;
  if (const cudaError_t error = cudaGraphNodeGetType(raw_node, &type); error != cudaSuccess) return error;
  node.kind = node_kind(type);
  switch (node.kind) {
    case NodeKind::kernel:
      return describe_kernel(raw_node, node);
    case NodeKind::copy:
      return describe_copy(raw_node, node);
    case NodeKind::fill:
      return describe_fill(raw_node, node);
    case NodeKind::allocation:
      return describe_allocation(raw_node, node);
    case NodeKind::free:
      return describe_free(raw_node, node);
    default:
      return cudaSuccess;
  }
}

cudaError_t find_nodes(cudaGraph_t graph, std::vector<cudaGraphNode_t>& nodes) {
  std::size_t count = 0;
  const cudaError_t counted = cudaGraphGetNodes(graph, nullptr, &count);
  if (counted != cudaSuccess || count == 0) return counted;
  nodes.resize(count);
  return cudaGraphGetNodes(graph, nodes.data(), &count);
}

cudaError_t find_dependencies(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& nodes,
                              std::vector<NodeDescription>& descriptions) {
  std::size_t count = 0;
  const cudaError_t counted = cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count);
  if (counted != cudaSuccess || count == 0) return counted;
  std::vector<cudaGraphNode_t> from(count);
  std::vector<cudaGraphNode_t> to(count);
  std::vector<cudaGraphEdgeData> edges(count);
  const cudaError_t found = cudaGraphGetEdges(graph, from.data(), to.data(), edges.data(), &count);
  if (found != cudaSuccess) return found;
  std::unordered_map<cudaGraphNode_t, std::size_t> places;
  for (std::size_t place = 0; place < nodes.size(); ++place) places.emplace(nodes[place], place);
  for (std::size_t edge = 0; edge < count; ++edge) {
    descriptions[places.at(to[edge])].dependencies.push_back(places.at(from[edge]));
  }
  for (NodeDescription& node : descriptions) std::ranges::sort(node.dependencies);
  return cudaSuccess;
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

Result<std::vector<NodeDescription>> CudaDevice::nodes(Graph graph) {
  std::vector<NodeDescription> descriptions;
  const cudaError_t error = call([&] {
    std::vector<cudaGraphNode_t> found;
    if (const cudaError_t status = find_nodes(cuda::raw(graph), found); status != cudaSuccess) return status;
    descriptions.resize(found.size());
    for (std::size_t place = 0; place < found.size(); ++place) {
      if (const cudaError_t status = describe(found[place], descriptions[place]); status != cudaSuccess) return status;
    }
    return find_dependencies(cuda::raw(graph), found, descriptions);
  });
  return to_result(error, std::move(descriptions));
}

Result<GraphExec> CudaDevice::instantiate(Graph graph) {
  constexpr auto flags = cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUseNodePriority;
  cudaGraphExec_t executable = nullptr;
  const cudaError_t error = call([&] { return cudaGraphInstantiate(&executable, cuda::raw(graph), flags); });
  return to_result(error, wrap<GraphExec>(executable));
}

Status CudaDevice::launch(GraphExec executable, Stream stream) {
  return status_of([&] { return cudaGraphLaunch(cuda::raw(executable), cuda::raw(stream)); });
}

Status CudaDevice::upload(GraphExec executable, Stream stream) {
  return status_of([&] { return cudaGraphUpload(cuda::raw(executable), cuda::raw(stream)); });
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
