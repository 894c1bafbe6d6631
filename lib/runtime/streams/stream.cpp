#include "runtime/streams/stream.hpp"

#include <fmt/format.h>

#include "device/check.hpp"
#include "runtime/streams/event.hpp"

namespace gpucheck::runtime {

Stream Stream::from_pool(Runtime& runtime, int priority) {
  const device::Stream raw = runtime.streams().next(priority);
  return {runtime, raw, runtime.streams().stream_id(raw)};
}

Stream Stream::default_of(Runtime& runtime) { return {runtime, runtime.device().default_stream(), 0}; }

Stream Stream::current(Runtime& runtime) {
  const device::Stream raw = runtime.current_stream();
  if (runtime.is_current_stream_external()) return external(runtime, raw);
  return {runtime, raw, runtime.streams().stream_id(raw)};
}

Stream Stream::external(Runtime& runtime, device::Stream raw) { return {runtime, raw, id_outside_pools(raw)}; }

Stream Stream::from_handle(Runtime& runtime, StreamHandle handle) {
  const int ordinal = runtime.device().ordinal();
  if (handle.device_type != DeviceType::cuda) {
    throw Error("Expected stream_.device_type() == DeviceType::CUDA to be true, but got false.");
  }
  if (handle.device_index != ordinal) {
    throw Error(
        fmt::format("The stream of id {} is of cuda:{}, not of cuda:{}.", handle.id, handle.device_index, ordinal));
  }
  return {runtime, runtime.streams().stream(handle.id), handle.id};
}

StreamHandle Stream::handle() const { return {.id = id_, .device_index = runtime_->device().ordinal()}; }

int Stream::priority() const { return runtime_->streams().priority(raw_); }

bool Stream::query() const {
  device::Device& device = runtime_->device();
  const device::Status status = device.query(raw_);
  if (status == device::Status::not_ready) return false;
  device::check_and_clear(device, status, "query stream");
  return true;
}

void Stream::synchronize() const { runtime_->synchronize(raw_); }

void Stream::wait_event(const Event& event) const { event.wait(*this); }

void Stream::wait_stream(const Stream& other) const { wait_event(other.record_event()); }

Event Stream::record_event() const {
  Event event;
  event.record(*this);
  return event;
}

bool Stream::operator==(const Stream& other) const {
  return id_ == other.id_ && runtime_->device().ordinal() == other.runtime_->device().ordinal();
}

std::string to_text(const Stream& stream) {
  return fmt::format("<torch.cuda.Stream device=cuda:{} cuda_stream={:#x}>", stream.runtime().device().ordinal(),
                     stream.raw().value);
}

}  // namespace gpucheck::runtime
