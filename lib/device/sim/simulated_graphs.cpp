#include <algorithm>

#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

namespace {

/// Pages for everything the graph allocates, and the addresses become known to the API.
Status claim_memory(const Executable& executable, AllocationMap& allocations) {
  for (const ExecutableStep& step : executable.steps) {
    if (const auto* begin = std::get_if<BeginAllocation>(&step.node.work->action)) {
      if (!std::static_pointer_cast<const GraphMemory>(begin->allocation.owner)->charge()) return Status::out_of_memory;
      allocations.add(begin->address, begin->allocation);
    } else if (const auto* end = std::get_if<EndAllocation>(&step.node.work->action)) {
      allocations.remove(end->address);
    }
  }
  return Status::success;
}

struct DescribeAction {
  device::NodeDescription& node;

  void operator()(std::monostate) const {}
  void operator()(const RunKernel& run) const {
    node.kind = device::NodeKind::kernel;
    node.kernel = run.kernel->name;
    node.count = run.count;
    node.block = run.block;
    node.parameters = run.functor;
  }
  void operator()(const MultiplyMatrices&) const {
    node.kind = device::NodeKind::kernel;
    node.kernel = product_name;
  }
  // No collective is ever captured.
  void operator()(const TakePart&) const {}
  void operator()(const Communicate&) const {}
  void operator()(const CopyBytes& copy) const {
    node.kind = device::NodeKind::copy;
    node.destination = copy.destination;
    node.source = copy.source;
    node.bytes = copy.bytes;
  }
  void operator()(const FillBytes& fill) const {
    node.kind = device::NodeKind::fill;
    node.destination = fill.destination;
    node.bytes = fill.bytes;
  }
  void operator()(const CallHost&) const { node.kind = device::NodeKind::host_function; }
  void operator()(const RecordEvent&) const { node.kind = device::NodeKind::event_record; }
  void operator()(const WaitEvent&) const { node.kind = device::NodeKind::event_wait; }
  void operator()(const BeginAllocation& begin) const {
    node.kind = device::NodeKind::allocation;
    node.destination = reinterpret_cast<const void*>(begin.address);
    node.bytes = begin.allocation.bytes;
  }
  void operator()(const EndAllocation& end) const {
    node.kind = device::NodeKind::free;
    node.destination = reinterpret_cast<const void*>(end.address);
  }
};

device::NodeDescription describe(const GraphNode& node) {
  device::NodeDescription description;
  std::visit(DescribeAction{description}, node.work->action);
  description.dependencies = node.dependencies;
  return description;
}

}  // namespace

Result<std::size_t> SimulatedDevice::node_count(device::Graph handle) {
  const auto body = [&]() -> Result<std::size_t> {
    const GraphState* graph = machine_->graphs.find(handle);
    if (graph == nullptr) return Status::invalid_value;
    return graph->data->nodes.size();
  };
  return call(Operation::node_count, body, AfterSticky::works);
}

Result<std::vector<device::NodeDescription>> SimulatedDevice::nodes(device::Graph handle) {
  const auto body = [&]() -> Result<std::vector<device::NodeDescription>> {
    const GraphState* graph = machine_->graphs.find(handle);
    if (graph == nullptr) return Status::invalid_value;
    std::vector<device::NodeDescription> descriptions;
    std::ranges::transform(graph->data->nodes, std::back_inserter(descriptions), describe);
    return descriptions;
  };
  return call(Operation::graph_nodes, body, AfterSticky::works);
}

Result<device::GraphExec> SimulatedDevice::instantiate(device::Graph handle) {
  return call(Operation::instantiate, [&]() -> Result<device::GraphExec> {
    const GraphState* graph = machine_->graphs.find(handle);
    if (graph == nullptr) return Status::invalid_value;
    if (const Status status = machine_->reject_unsafe(); status != Status::success) return status;
    Executable executable{.device = graph->data->device};
    if (allocates(*graph->data)) {
      executable.allocating_graph = graph->data;
      const auto& others = machine_->executables.objects();
      const bool again = std::any_of(others.begin(), others.end(),
                                     [&](const auto& other) { return other.second->allocating_graph == graph->data; });
      if (again) return Status::not_supported;
    }
    std::size_t branches = 0;
    executable.steps = make_steps(*graph->data, branches);
    std::generate_n(std::back_inserter(executable.branches), branches, [&] { return timeline().new_component(); });
    const device::GraphExec result{machine_->new_handle()};
    machine_->executables.insert(result.value, std::move(executable));
    return result;
  });
}

/// The stream that a whole graph may be sent to now: one in a capture is none, and the capture is spoilt.
Result<StreamState*> SimulatedDevice::graph_target(device::Stream on) {
  const auto stream = target(on);
  if (!stream || !(*stream)->capture) return stream;
  machine_->invalidate((*stream)->capture);
  return Status::stream_capture_unsupported;
}

Status SimulatedDevice::launch(device::GraphExec handle, device::Stream on) {
  return call(Operation::launch_graph, [&] {
    Executable* executable = machine_->executables.find(handle);
    if (executable == nullptr) return Status::invalid_value;
    const auto stream = graph_target(on);
    if (!stream) return stream.error();
    const Status status = claim_memory(*executable, context_.allocations);
    if (status == Status::success) timeline().launch(context_, **stream, *executable, machine_->events);
    return status;
  });
}

Status SimulatedDevice::upload(device::GraphExec handle, device::Stream on) {
  return call(Operation::upload_graph, [&] {
    Executable* executable = machine_->executables.find(handle);
    if (executable == nullptr) return Status::invalid_value;
    const auto stream = graph_target(on);
    if (!stream) return stream.error();
    timeline().upload(context_, **stream, *executable);
    return Status::success;
  });
}

Status SimulatedDevice::update(device::GraphExec handle, device::Graph with) {
  const auto body = [&] {
    Executable* executable = machine_->executables.find(handle);
    const GraphState* graph = machine_->graphs.find(with);
    if (executable == nullptr || graph == nullptr) return Status::invalid_value;
    if (!same_topology(executable->steps, *graph->data)) return Status::graph_exec_update_failure;
    for (NodeIndex index = 0; index < executable->steps.size(); ++index) {
      executable->steps[index].node = graph->data->nodes[index];
    }
    return Status::success;
  };
  return call(Operation::update_graph, body, AfterSticky::works);
}

Status SimulatedDevice::destroy_graph(device::Graph handle) {
  return call(
      Operation::destroy_graph,
      [&] { return machine_->graphs.erase(handle) ? Status::success : Status::invalid_value; }, AfterSticky::works);
}

Status SimulatedDevice::destroy_executable(device::GraphExec handle) {
  return call(
      Operation::destroy_executable,
      [&] { return machine_->executables.erase(handle) ? Status::success : Status::invalid_value; },
      AfterSticky::works);
}

}  // namespace gpucheck::sim
