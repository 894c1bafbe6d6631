#include <algorithm>

#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::CaptureMode;
using device::Result;
using device::Status;

Status SimulatedDevice::begin_capture(device::Stream handle, CaptureMode mode) {
  return call(Operation::begin_capture, [&] {
    StreamState* stream = machine_->stream(handle, index_);
    if (stream == nullptr) return Status::invalid_resource_handle;
    if (mode != CaptureMode::global && mode != CaptureMode::thread_local_ && mode != CaptureMode::relaxed) {
      return Status::invalid_value;
    }
    if (stream == &context_.default_stream) {
      const Status status = machine_->reject_legacy(index_);
      return status != Status::success ? status : Status::stream_capture_unsupported;
    }
    if (stream->capture) return Status::illegal_state;
    auto capture = std::make_shared<Capture>();
    capture->id = machine_->next_capture_id++;
    capture->mode = mode;
    capture->origin = handle;
    capture->thread = Machine::thread_number();
    capture->graph->device = index_;
    stream->capture = capture;
    stream->frontier.clear();
    machine_->captures.push_back(std::move(capture));
    return Status::success;
  });
}

Result<device::Graph> SimulatedDevice::end_capture(device::Stream handle) {
  return call(Operation::end_capture, [&]() -> Result<device::Graph> {
    StreamState* stream = machine_->stream(handle, index_);
    if (stream == nullptr) return Status::invalid_resource_handle;
    if (!stream->capture) return Status::illegal_state;
    const CapturePointer capture = stream->capture;
    if (capture->origin != handle) {
      machine_->invalidate(capture);
      return Status::stream_capture_unmatched;
    }
    const Status status = finish_capture(*stream);
    machine_->close(capture);
    if (status != Status::success) return status;
    const device::Graph graph{machine_->new_handle()};
    machine_->graphs.insert(graph.value, {capture->graph});
    return graph;
  });
}

/// Whether the capture that `origin` began has succeeded.
Status SimulatedDevice::finish_capture(StreamState& origin) {
  const Capture& capture = *origin.capture;
  if (capture.mode != CaptureMode::relaxed && capture.thread != Machine::thread_number()) {
    return Status::stream_capture_wrong_thread;
  }
  if (capture.invalidated) return Status::stream_capture_invalidated;
  std::vector<NodeIndex> ends = capture.abandoned;
  for (const auto& [handle, stream] : machine_->streams.objects()) {
    if (stream->capture == origin.capture) merge_nodes(ends, stream->frontier);
  }
  return all_joined(*capture.graph, ends, origin.frontier) ? Status::success : Status::stream_capture_unjoined;
}

/// A stream whose part in a capture may be asked about now.
Result<const StreamState*> SimulatedDevice::capture_stream(device::Stream handle) {
  const StreamState* stream = machine_->stream(handle, index_);
  if (stream == nullptr) return Status::invalid_resource_handle;
  if (stream == &context_.default_stream) {
    const Status status = machine_->reject_legacy(index_, false);
    if (status != Status::success) return status;
  }
  return stream;
}

Result<device::CaptureInfo> SimulatedDevice::capture_info(device::Stream handle) {
  return call(Operation::capture_info, [&]() -> Result<device::CaptureInfo> {
    const auto stream = capture_stream(handle);
    if (!stream) return stream.error();
    const CapturePointer& capture = (*stream)->capture;
    if (!capture) return device::CaptureInfo{};
    return device::CaptureInfo{
        capture->invalidated ? device::CaptureStatus::invalidated : device::CaptureStatus::active, capture->id};
  });
}

Result<std::vector<device::GraphNode>> SimulatedDevice::capture_dependencies(device::Stream handle) {
  return call(Operation::capture_dependencies, [&]() -> Result<std::vector<device::GraphNode>> {
    const auto stream = capture_stream(handle);
    if (!stream) return stream.error();
    const CapturePointer& capture = (*stream)->capture;
    if (!capture || capture->invalidated) return std::vector<device::GraphNode>{};
    return node_handles(*capture, (*stream)->frontier);
  });
}

Result<std::vector<device::GraphNode>> SimulatedDevice::node_dependencies(device::GraphNode node) {
  return call(Operation::node_dependencies, [&]() -> Result<std::vector<device::GraphNode>> {
    for (const CapturePointer& capture : machine_->captures) {
      if (const GraphNode* found = find_node(*capture, node)) return node_handles(*capture, found->dependencies);
    }
    return Status::invalid_value;
  });
}

Result<CaptureMode> SimulatedDevice::exchange_capture_mode(CaptureMode mode) {
  return call(
      Operation::exchange_capture_mode,
      [&]() -> Result<CaptureMode> { return std::exchange(machine_->thread().capture_mode, mode); },
      AfterSticky::works);
}

/// An event recorded in a capture says the host nothing; asking spoils the capture.
Status SimulatedDevice::reject_captured(const EventState& event) {
  if (!event.capture) return machine_->reject_unsafe();
  if (event.capture->ended) return Status::invalid_value;
  machine_->invalidate(event.capture);
  return Status::captured_event;
}

/// A stream waits for a point in a capture: it joins the capture, or spoils it.
Status SimulatedDevice::wait_for_captured(StreamState& stream, const EventState& event) {
  if (event.capture->ended) {
    if (stream.capture) machine_->invalidate(stream.capture);
    return Status::invalid_value;
  }
  if (&stream == &context_.default_stream) {
    machine_->invalidate(event.capture);
    return Status::stream_capture_implicit;
  }
  if (event.capture->invalidated) return Status::stream_capture_invalidated;
  if (stream.capture && stream.capture != event.capture) {
    machine_->invalidate(stream.capture);
    machine_->invalidate(event.capture);
    return Status::stream_capture_merge;
  }
  if (!stream.capture) stream.frontier.clear();
  stream.capture = event.capture;
  merge_nodes(stream.frontier, event.nodes);
  return Status::success;
}

/// A graph allocates at an address that is its own from now on; the pages come at launch.
Status SimulatedDevice::captured_allocation(StreamState& stream, std::size_t bytes, void*& pointer) {
  const std::uint64_t pages = bytes <= context_.memory.total_bytes() ? round_up(bytes, page_bytes) : 0;
  const auto begin = pages == 0 ? std::nullopt : context_.memory.allocate_addresses(pages);
  if (!begin) return Status::out_of_memory;
  const Range range{*begin, pages};
  const AllocationMap::Allocation allocation{.bytes = bytes,
                                             .origin = AllocationMap::Origin::graph,
                                             .block_bytes = pages,
                                             .owner = std::make_shared<GraphMemory>(context_.memory, range)};
  pointer = reinterpret_cast<void*>(*begin);
  timeline().races().forget(pointer, pages);
  stream.capture->allocations.add(*begin, allocation);
  submit(stream, {.name = "allocate_async",
                  .action = BeginAllocation{*begin, allocation},
                  .accesses = {device::writes(pointer, bytes)}});
  return Status::success;
}

/// Only what the capture itself allocated may be freed in it.
Status SimulatedDevice::captured_free(StreamState& stream, std::uintptr_t address) {
  const auto* found = stream.capture->allocations.find(address);
  if (found == nullptr) return Status::invalid_value;
  const AllocationMap::Allocation allocation = *found;
  stream.capture->allocations.remove(address);
  submit(stream, {.name = "free_async",
                  .action = EndAllocation{address, allocation},
                  .accesses = {device::writes(reinterpret_cast<void*>(address), allocation.bytes)}});
  return Status::success;
}

}  // namespace gpucheck::sim
