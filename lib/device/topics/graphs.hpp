#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/values/handles.hpp"
#include "device/values/kernel.hpp"
#include "device/values/status.hpp"

namespace gpucheck::device {

/// `cudaStreamCaptureMode`: which unsafe calls fail while a capture is open.
enum class CaptureMode {
  global,         ///< unsafe calls from any thread
  thread_local_,  ///< unsafe calls from the capturing thread
  relaxed,        ///< none
};

enum class CaptureStatus { none, active, invalidated };

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::none;
  std::uint64_t id = 0;  ///< unique in the process for each capture; 0 when none
};

enum class NodeKind { kernel, copy, fill, host_function, event_record, event_wait, allocation, free, other };

/// A node of a graph, as far as the device reports what it does.
struct NodeDescription {
  NodeKind kind = NodeKind::other;
  std::string kernel;                     ///< a kernel's name; empty where the device does not say it
  std::uint64_t count = 0;                ///< invocations of one of `kernels/`
  BlockShape block{};                     ///< of a block kernel of `kernels/`
  std::vector<std::byte> parameters;      ///< the functor of one of `kernels/`
  const void* destination = nullptr;      ///< of a copy, a fill, an allocation or a free
  const void* source = nullptr;           ///< of a copy
  std::uint64_t bytes = 0;                ///< of a copy, a fill or an allocation
  std::vector<std::size_t> dependencies;  ///< the nodes it waits for: their places in the list, ascending
};

/// Capturing what streams are given, and launching it as a whole.
class Graphs {
 public:
  /// `cudaStreamBeginCapture`.
  virtual Status begin_capture(Stream stream, CaptureMode mode) = 0;
  /// `cudaStreamEndCapture`; the caller owns the graph.
  [[nodiscard]] virtual Result<Graph> end_capture(Stream stream) = 0;
  /// `cudaStreamGetCaptureInfo`.
  [[nodiscard]] virtual Result<CaptureInfo> capture_info(Stream stream) = 0;
  /// `cudaStreamGetCaptureInfo`: the nodes that the next work captured in `stream` will
  /// depend on, in no particular order; none where the stream captures nothing or its
  /// capture is invalidated. No other thread may use the stream meanwhile.
  [[nodiscard]] virtual Result<std::vector<GraphNode>> capture_dependencies(Stream stream) = 0;
  /// `cudaGraphNodeGetDependencies`: the nodes that a node of an open capture directly
  /// depends on, in no particular order.
  [[nodiscard]] virtual Result<std::vector<GraphNode>> node_dependencies(GraphNode node) = 0;
  /// `cudaThreadExchangeStreamCaptureMode`: sets the calling thread's mode, returns
  /// the old one.
  [[nodiscard]] virtual Result<CaptureMode> exchange_capture_mode(CaptureMode mode) = 0;
  [[nodiscard]] virtual Result<std::size_t> node_count(Graph graph) = 0;
  /// `cudaGraphGetNodes`, `cudaGraphGetEdges` and what is known of each node: all nodes,
  /// in the order they were captured.
  [[nodiscard]] virtual Result<std::vector<NodeDescription>> nodes(Graph graph) = 0;
  /// `cudaGraphInstantiate` with auto-free-on-launch, each node with the priority of the
  /// stream that it was captured in; the caller owns the executable.
  [[nodiscard]] virtual Result<GraphExec> instantiate(Graph graph) = 0;
  /// `cudaGraphLaunch`. Launches of one executable never overlap each other.
  virtual Status launch(GraphExec executable, Stream stream) = 0;
  /// `cudaGraphUpload`: what the first launch would otherwise bring to the device, in
  /// stream order. Launches in any stream come after it.
  virtual Status upload(GraphExec executable, Stream stream) = 0;
  /// `cudaGraphExecUpdate`: same topology, new parameters; graph_exec_update_failure
  /// when the topology differs.
  virtual Status update(GraphExec executable, Graph graph) = 0;
  virtual Status destroy_graph(Graph graph) = 0;
  virtual Status destroy_executable(GraphExec executable) = 0;

 protected:
  ~Graphs() = default;
};

}  // namespace gpucheck::device

/// The operations of `Graphs`: see `operations.hpp`.
#define GPUCHECK_GRAPHS_OPERATIONS(OPERATION, ALSO)                                                                   \
  OPERATION(begin_capture, device::Status, begin_capture, (device::Stream stream, device::CaptureMode mode),          \
            (stream, mode))                                                                                           \
  OPERATION(end_capture, device::Result<device::Graph>, end_capture, (device::Stream stream), (stream))               \
  OPERATION(capture_info, device::Result<device::CaptureInfo>, capture_info, (device::Stream stream), (stream))       \
  OPERATION(capture_dependencies, device::Result<std::vector<device::GraphNode>>, capture_dependencies,               \
            (device::Stream stream), (stream))                                                                        \
  OPERATION(node_dependencies, device::Result<std::vector<device::GraphNode>>, node_dependencies,                     \
            (device::GraphNode node), (node))                                                                         \
  OPERATION(exchange_capture_mode, device::Result<device::CaptureMode>, exchange_capture_mode,                        \
            (device::CaptureMode mode), (mode))                                                                       \
  OPERATION(node_count, device::Result<std::size_t>, node_count, (device::Graph graph), (graph))                      \
  OPERATION(graph_nodes, device::Result<std::vector<device::NodeDescription>>, nodes, (device::Graph graph), (graph)) \
  OPERATION(instantiate, device::Result<device::GraphExec>, instantiate, (device::Graph graph), (graph))              \
  OPERATION(launch_graph, device::Status, launch, (device::GraphExec executable, device::Stream stream),              \
            (executable, stream))                                                                                     \
  OPERATION(upload_graph, device::Status, upload, (device::GraphExec executable, device::Stream stream),              \
            (executable, stream))                                                                                     \
  OPERATION(update_graph, device::Status, update, (device::GraphExec executable, device::Graph graph),                \
            (executable, graph))                                                                                      \
  OPERATION(destroy_graph, device::Status, destroy_graph, (device::Graph graph), (graph))                             \
  OPERATION(destroy_executable, device::Status, destroy_executable, (device::GraphExec executable), (executable))
