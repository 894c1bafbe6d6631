#include "device/sim/simulated_device.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gpucheck::sim {

using device::Result;
using device::Status;

SimulatedDevice::SimulatedDevice(std::shared_ptr<Machine> machine, int position, int index, std::vector<int> visible)
    : machine_(std::move(machine)),
      position_(position),
      index_(index),
      visible_(std::move(visible)),
      context_(machine_->context(index)),
      properties_(machine_->options.profile.properties) {
  properties_.uuid = device_uuid(machine_->options, index);
  std::copy_n(properties_.uuid.begin(), std::min(properties_.uuid.size(), properties_.uuid_bytes.size()),
              properties_.uuid_bytes.begin());
  properties_.uuid_bytes.back() = static_cast<std::uint8_t>(index);
  properties_.pci_bus_id = fmt::format("sim:{:02x}:00.0", index);
}

std::string SimulatedDevice::error_text(Status status) const { return std::string(device::status_text(status)); }

device::Stream SimulatedDevice::default_stream() const noexcept { return device::legacy_default_stream; }

std::uint64_t SimulatedDevice::memory_ns(std::uint64_t bytes) const noexcept {
  return costs::transfer_ns(bytes, machine_->options.profile.memory_bytes_per_ns);
}

void SimulatedDevice::begin_call(Operation operation, std::uint64_t cost_ns) {
  ++machine_->calls[static_cast<std::size_t>(operation)];
  timeline().advance(cost_ns);
}

Result<StreamState*> SimulatedDevice::target(device::Stream handle, int device) {
  StreamState* stream = machine_->stream(handle, device);
  if (stream == nullptr) return Status::invalid_resource_handle;
  if (stream->capture) {
    if (stream->capture->invalidated) return Status::stream_capture_invalidated;
    return stream;
  }
  if (stream == &machine_->context(device).default_stream) {
    if (const Status status = machine_->reject_legacy(device); status != Status::success) return status;
  }
  return stream;
}

void SimulatedDevice::submit(StreamState& stream, Work work) {
  if (machine_->options.slow_device == stream.device) work.duration_ns += work.duration_ns / 2;
  auto shared = std::make_shared<const Work>(std::move(work));
  if (!stream.capture) {
    timeline().enqueue(machine_->context(stream.device), stream, shared);
    return;
  }
  std::vector<GraphNode>& nodes = stream.capture->graph->nodes;
  nodes.push_back({.work = std::move(shared), .dependencies = stream.frontier});
  stream.frontier = {nodes.size() - 1};
}

// As CUDA's runtime does: the error is a note of the thread's, taken out by reading it.
// A spoiled context shows in every call that needs it, not here.
Status SimulatedDevice::last_error() {
  const std::lock_guard lock(timeline().mutex());
  begin_call(Operation::last_error, costs::api_call_ns);
  return std::exchange(machine_->thread().last_error, Status::success);
}

Status SimulatedDevice::peek_last_error() {
  const std::lock_guard lock(timeline().mutex());
  begin_call(Operation::last_error, costs::api_call_ns);
  return machine_->thread().last_error;
}

Result<bool> SimulatedDevice::can_access_peer(int peer_ordinal) {
  return call(
      Operation::can_access_peer,
      [&]() -> Result<bool> {
        if (peer_ordinal < 0 || peer_ordinal >= static_cast<int>(visible_.size())) return Status::invalid_device;
        return peer_ordinal != position_;
      },
      AfterSticky::works);
}

Status SimulatedDevice::enable_peer_access(int peer_ordinal) {
  return call(Operation::enable_peer_access, [&] {
    if (peer_ordinal < 0 || peer_ordinal >= static_cast<int>(visible_.size())) return Status::invalid_device;
    if (peer_ordinal == position_) return Status::peer_access_unsupported;
    const bool is_new = context_.peers.insert(visible_[static_cast<std::size_t>(peer_ordinal)]).second;
    return is_new ? Status::success : Status::peer_access_already_enabled;
  });
}

}  // namespace gpucheck::sim
