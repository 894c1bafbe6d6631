#include "device/sim/work/graph.hpp"

#include <algorithm>

namespace gpucheck::sim {

std::vector<ExecutableStep> make_steps(const GraphData& graph, std::size_t& branch_count) {
  std::vector<ExecutableStep> steps;
  std::vector<NodeIndex> last_of_branch;
  for (NodeIndex index = 0; index < graph.nodes.size(); ++index) {
    const GraphNode& node = graph.nodes[index];
    // Continue the branch of a dependency that nothing has continued yet.
    std::size_t branch = last_of_branch.size();
    for (const NodeIndex dependency : node.dependencies) {
      steps[dependency].is_leaf = false;
      const std::size_t candidate = steps[dependency].branch;
      if (last_of_branch[candidate] == dependency) branch = std::min(branch, candidate);
    }
    if (branch == last_of_branch.size()) last_of_branch.push_back(index);
    last_of_branch[branch] = index;
    steps.push_back({.node = node, .branch = branch});
  }
  branch_count = last_of_branch.size();
  return steps;
}

bool same_topology(const std::vector<ExecutableStep>& steps, const GraphData& graph) {
  return std::equal(steps.begin(), steps.end(), graph.nodes.begin(), graph.nodes.end(),
                    [](const ExecutableStep& step, const GraphNode& node) {
                      const Work& mine = *step.node.work;
                      const Work& other = *node.work;
                      const bool same_copy = !std::holds_alternative<CopyBytes>(mine.action) || mine.name == other.name;
                      return mine.action.index() == other.action.index() && same_copy &&
                             step.node.dependencies == node.dependencies;
                    });
}

bool allocates(const GraphData& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const GraphNode& node) { return std::holds_alternative<BeginAllocation>(node.work->action); });
}

}  // namespace gpucheck::sim
