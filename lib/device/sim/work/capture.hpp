#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "device/sim/work/graph.hpp"

namespace gpucheck::sim {

/// One capture sequence, from begin to end, with every stream that joined it.
struct Capture {
  std::uint64_t id = 0;
  device::CaptureMode mode = device::CaptureMode::global;
  device::Stream origin;
  std::uint64_t thread = 0;  ///< which host thread began it
  bool invalidated = false;
  bool ended = false;
  std::shared_ptr<GraphData> graph = std::make_shared<GraphData>();
  std::vector<NodeIndex> abandoned;  ///< where streams that were destroyed meanwhile had arrived
  AllocationMap allocations;         ///< made and not freed within the capture
};

using CapturePointer = std::shared_ptr<Capture>;

/// Handles of nodes of the capture's graph: of their places in it.
std::vector<device::GraphNode> node_handles(const Capture& capture, const std::vector<NodeIndex>& nodes);
/// The node of a handle; null when it is none of this capture's.
const GraphNode* find_node(const Capture& capture, device::GraphNode handle);

/// Adds `nodes` to an ascending set of nodes.
void merge_nodes(std::vector<NodeIndex>& set, const std::vector<NodeIndex>& nodes);
/// True when each of `nodes` is one of `frontier` or an ancestor of one.
bool all_joined(const GraphData& graph, const std::vector<NodeIndex>& nodes, const std::vector<NodeIndex>& frontier);

}  // namespace gpucheck::sim
