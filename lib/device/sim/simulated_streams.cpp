#include <algorithm>
#include <utility>

#include "device/sim/simulated_device.hpp"

namespace gpucheck::sim {

using device::Result;
using device::Status;

Result<device::Stream> SimulatedDevice::create_stream(device::StreamKind kind, int) {
  // A priority never shows: simulated streams do not compete for anything.
  return call(Operation::create_stream, [&]() -> Result<device::Stream> {
    const device::Stream handle{machine_->new_handle()};
    StreamState& stream = machine_->streams.insert(
        handle.value, {.handle = handle, .device = index_, .kind = kind, .component = timeline().new_component()});
    if (kind == device::StreamKind::blocking) context_.blocking_streams.push_back(&stream);
    return handle;
  });
}

Status SimulatedDevice::destroy_stream(device::Stream handle) {
  return call(Operation::destroy_stream, [&] {
    StreamState* stream = machine_->streams.find(handle);
    if (stream == nullptr || stream->device != index_) return Status::invalid_resource_handle;
    const CapturePointer capture = stream->capture;  // closing takes it from the stream
    if (capture && capture->origin == handle) {
      machine_->invalidate(capture);
      machine_->close(capture);
    } else if (capture) {
      merge_nodes(capture->abandoned, stream->frontier);
    }
    context_.retired.join(stream->ready_ns, stream->clock);
    if (stream->kind == device::StreamKind::blocking) {
      // The default stream still comes after the work that is left.
      context_.retired_blocking.join(stream->ready_ns, stream->clock);
      std::erase(context_.blocking_streams, stream);
    }
    machine_->streams.erase(handle);
    return Status::success;
  });
}

/// The checks that waiting for, or asking about, a stream has in common.
Result<Point> SimulatedDevice::waitable(device::Stream handle) {
  StreamState* stream = machine_->stream(handle, index_);
  if (stream == nullptr) return Status::invalid_resource_handle;
  if (stream->capture) {
    machine_->invalidate(stream->capture);
    return Status::stream_capture_unsupported;
  }
  const bool legacy = stream == &context_.default_stream;
  Status status = legacy ? machine_->reject_legacy(index_) : Status::success;
  if (status == Status::success) status = machine_->reject_unsafe();
  if (status != Status::success) return status;
  // The default stream stands for all blocking streams.
  return legacy ? timeline().before_next(context_, *stream) : Point{stream->ready_ns, stream->clock};
}

Status SimulatedDevice::query(device::Stream handle) {
  return call(Operation::query_stream, [&] {
    timeline().poll();
    if (context_.sticky != Status::success) return context_.sticky;
    const auto end = waitable(handle);
    if (!end) return end.error();
    if (!timeline().reached(end->ready_ns)) return Status::not_ready;
    timeline().host_learns(end->clock);
    return Status::success;
  });
}

Status SimulatedDevice::synchronize(device::Stream handle) {
  return call(Operation::synchronize, [&] {
    const auto end = waitable(handle);
    if (!end) return end.error();
    timeline().wait_until(end->ready_ns);
    timeline().host_learns(end->clock);
    machine_->trim_pools();
    return context_.sticky;
  });
}

Status SimulatedDevice::synchronize() {
  return call(Operation::synchronize, [&] {
    if (const Status status = machine_->reject_while_capturing(); status != Status::success) return status;
    machine_->wait_for(context_);
    machine_->trim_pools();
    return context_.sticky;
  });
}

Result<device::Event> SimulatedDevice::create_event(device::EventKind kind) {
  return call(Operation::create_event, [&]() -> Result<device::Event> {
    if (device::has(kind, device::EventKind::interprocess) && !device::has(kind, device::EventKind::no_timing)) {
      return Status::invalid_value;
    }
    const device::Event handle{machine_->new_handle()};
    machine_->events.insert(handle.value, {.device = index_, .kind = kind});
    return handle;
  });
}

Status SimulatedDevice::destroy_event(device::Event event) {
  return call(Operation::destroy_event,
              [&] { return machine_->events.erase(event) ? Status::success : Status::invalid_resource_handle; });
}

Status SimulatedDevice::record(device::Event handle, device::Stream on) {
  return call(Operation::record, [&] {
    EventState* event = machine_->events.find(handle);
    if (event == nullptr || event->device != index_) return Status::invalid_resource_handle;
    const auto stream = target(on);
    if (!stream) return stream.error();
    event->capture = (*stream)->capture;
    event->nodes = (*stream)->frontier;
    if (!event->capture) timeline().record(context_, **stream, *event);
    return Status::success;
  });
}

Status SimulatedDevice::wait(device::Stream on, device::Event handle) {
  return call(Operation::wait, [&] {
    const EventState* event = machine_->events.find(handle);
    StreamState* waiting = machine_->stream(on, index_);
    if (event == nullptr || waiting == nullptr) return Status::invalid_resource_handle;
    if (event->capture) return wait_for_captured(*waiting, *event);
    const auto stream = target(on);
    if (!stream) return stream.error();
    if (!event->recorded) return Status::success;
    if (waiting->capture) {
      machine_->invalidate(waiting->capture);
      return Status::stream_capture_isolation;
    }
    timeline().wait(context_, *waiting, *event);
    return Status::success;
  });
}

Status SimulatedDevice::record_external(device::Event handle, device::Stream on) {
  return call(Operation::record, [&] {
    const EventState* event = machine_->events.find(handle);
    const bool is_own = event != nullptr && event->device == index_;
    if (!is_own) return Status::invalid_resource_handle;
    return capture_event_node(on, {.name = "record event", .action = RecordEvent{handle}, .accesses = {}});
  });
}

Status SimulatedDevice::wait_external(device::Stream on, device::Event handle) {
  return call(Operation::wait, [&] {
    if (machine_->events.find(handle) == nullptr) return Status::invalid_resource_handle;
    return capture_event_node(on, {.name = "wait for event", .action = WaitEvent{handle}, .accesses = {}});
  });
}

Status SimulatedDevice::capture_event_node(device::Stream on, Work work) {
  const auto stream = target(on);
  if (!stream) return stream.error();
  if (!(*stream)->capture) return Status::illegal_state;
  submit(**stream, std::move(work));
  return Status::success;
}

Status SimulatedDevice::query(device::Event handle) {
  return call(Operation::query_event, [&] {
    timeline().poll();
    if (context_.sticky != Status::success) return context_.sticky;
    const EventState* event = machine_->events.find(handle);
    if (event == nullptr) return Status::invalid_resource_handle;
    if (const Status status = reject_captured(*event); status != Status::success) return status;
    if (!event->recorded) return Status::success;
    if (!timeline().reached(event->complete_ns)) return Status::not_ready;
    timeline().host_learns(event->clock);
    return Status::success;
  });
}

Status SimulatedDevice::synchronize(device::Event handle) {
  return call(Operation::synchronize, [&] {
    const EventState* event = machine_->events.find(handle);
    if (event == nullptr) return Status::invalid_resource_handle;
    if (const Status status = reject_captured(*event); status != Status::success) return status;
    if (!event->recorded) return Status::success;
    const VectorClock clock = event->clock;
    timeline().wait_until(event->complete_ns);
    timeline().host_learns(clock);
    machine_->trim_pools();
    return context_.sticky;
  });
}

Result<float> SimulatedDevice::elapsed_ms(device::Event start, device::Event stop) {
  return call(Operation::elapsed_ms, [&]() -> Result<float> {
    const EventState* first = machine_->events.find(start);
    const EventState* second = machine_->events.find(stop);
    if (first == nullptr || second == nullptr || first->device != second->device) {
      return Status::invalid_resource_handle;
    }
    for (const EventState* event : {first, second}) {
      if (event->capture) return event->capture->ended ? Status::invalid_value : Status::captured_event;
      if (device::has(event->kind, device::EventKind::no_timing) || !event->recorded)
        return Status::invalid_resource_handle;
    }
    if (!timeline().reached(std::max(first->complete_ns, second->complete_ns))) return Status::not_ready;
    const auto elapsed_ns = static_cast<std::int64_t>(second->complete_ns - first->complete_ns);
    return static_cast<float>(static_cast<double>(elapsed_ns) / 1e6);
  });
}

}  // namespace gpucheck::sim
