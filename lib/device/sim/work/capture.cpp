#include "device/sim/work/capture.hpp"

#include <algorithm>

namespace gpucheck::sim {

namespace {

/// A handle is the capture's id and the node's place, from 1 on.
constexpr unsigned place_bits = 32;

}  // namespace

std::vector<device::GraphNode> node_handles(const Capture& capture, const std::vector<NodeIndex>& nodes) {
  std::vector<device::GraphNode> handles;
  handles.reserve(nodes.size());
  for (const NodeIndex node : nodes) handles.push_back({(capture.id << place_bits) | (node + 1)});
  return handles;
}

const GraphNode* find_node(const Capture& capture, device::GraphNode handle) {
  const std::uint64_t place = handle.value - (capture.id << place_bits);
  return place >= 1 && place <= capture.graph->nodes.size() ? &capture.graph->nodes[place - 1] : nullptr;
}

void merge_nodes(std::vector<NodeIndex>& set, const std::vector<NodeIndex>& nodes) {
  for (const NodeIndex node : nodes) {
    const auto place = std::lower_bound(set.begin(), set.end(), node);
    if (place == set.end() || *place != node) set.insert(place, node);
  }
}

bool all_joined(const GraphData& graph, const std::vector<NodeIndex>& nodes, const std::vector<NodeIndex>& frontier) {
  std::vector<bool> reached(graph.nodes.size());
  for (const NodeIndex node : frontier) reached[node] = true;
  for (NodeIndex index = graph.nodes.size(); index-- > 0;) {
    if (!reached[index]) continue;
    for (const NodeIndex dependency : graph.nodes[index].dependencies) reached[dependency] = true;
  }
  return std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex node) { return reached[node]; });
}

}  // namespace gpucheck::sim
