#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/sim/time/vector_clock.hpp"
#include "device/sim/work/work.hpp"

namespace gpucheck::sim {

using NodeIndex = std::size_t;

struct GraphNode {
  WorkPointer work;
  std::vector<NodeIndex> dependencies;  ///< earlier nodes, ascending
};

/// A directed acyclic graph of work; nodes stand in the order they were captured, which
/// is a topological one.
struct GraphData {
  int device = 0;
  std::vector<GraphNode> nodes;
};

/// Memory that a graph allocates anew at each launch, at the same addresses. Freed
/// when the graph, its executable and whoever still uses the allocation have let go.
class GraphMemory {
 public:
  GraphMemory(DeviceMemory& memory, Range range) : memory_(memory), range_(range) {}
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  ~GraphMemory() { memory_.free_addresses(range_, charged_); }

  /// Claims the pages; false when the device has not enough left.
  bool charge() const noexcept { return charged_ = charged_ || memory_.charge(range_.bytes); }

 private:
  DeviceMemory& memory_;
  Range range_;
  mutable bool charged_ = false;  // an owner is shared as const: only its pages come late
};

/// A step of an executable graph and the branch of the graph that it runs in. Steps of
/// one branch follow each other; branches are what may overlap.
struct ExecutableStep {
  GraphNode node;
  std::size_t branch = 0;
  bool is_leaf = true;  ///< nothing in the graph waits for it
};

/// An instantiated graph: a snapshot, and how far its launches have come.
struct Executable {
  int device = 0;
  std::vector<ExecutableStep> steps{};
  std::vector<Component> branches{};
  std::uint64_t epoch = 0;
  std::uint64_t ready_ns = 0;                           ///< when the last launch is complete
  VectorClock clock{};                                  ///< what is ordered before the end of the last launch
  std::shared_ptr<const GraphData> allocating_graph{};  ///< set when it allocates: such a graph is instantiated once
};

/// Cuts a graph into steps and branches; returns the steps and the number of branches.
std::vector<ExecutableStep> make_steps(const GraphData& graph, std::size_t& branch_count);
/// True when `update` may put `graph` in place of what `steps` were made from: same
/// nodes of the same kind with the same dependencies, copies between the same kinds of memory.
bool same_topology(const std::vector<ExecutableStep>& steps, const GraphData& graph);
bool allocates(const GraphData& graph);

}  // namespace gpucheck::sim
