#include "device/sim/capture.hpp"

#include <algorithm>

namespace gpucheck::sim {

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
