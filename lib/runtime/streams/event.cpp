#include "runtime/streams/event.hpp"

#include <fmt/format.h>

#include "device/check.hpp"
#include "runtime/streams/pools/is_capturing.hpp"
#include "runtime/trace/gpu_trace_sink.hpp"

namespace gpucheck::runtime {

Event& Event::operator=(Event&& other) noexcept {
  Event moved(std::move(other));
  std::swap(options_, moved.options_);
  std::swap(runtime_, moved.runtime_);
  event_.swap(moved.event_);
  return *this;
}

device::EventKind Event::kind() const noexcept {
  using device::EventKind;
  EventKind kind = options_.timing ? EventKind::timing : EventKind::no_timing;
  if (options_.blocking) kind = kind | EventKind::blocking;
  if (options_.interprocess) kind = kind | EventKind::interprocess;
  return kind;
}

void Event::create(Runtime& runtime) {
  device::Device& device = runtime.device();
  event_ = device::UniqueEvent(device, device::check_and_clear(device, device.create_event(kind()), "create_event"));
  runtime_ = &runtime;
  if (GpuTraceSink* sink = runtime.gpu_trace_sink()) sink->event_creation(raw());
}

void Event::destroy() noexcept {
  if (!is_created()) return;
  if (GpuTraceSink* sink = runtime_->gpu_trace_sink()) sink->event_deletion(raw());
  event_.reset();
}

bool Event::is_external_now(Runtime& runtime) const {
  return options_.external && detail::is_capturing(runtime.device(), runtime.current_stream());
}

void Event::record(const Stream& stream) {
  Runtime& runtime = stream.runtime();
  if (!is_created()) create(runtime);
  device::Device& device = runtime.device();
  if (runtime_ != &runtime && runtime_->device().ordinal() != device.ordinal()) {
    throw Error(fmt::format("Event device {} does not match recording stream's device {}.",
                            runtime_->device().ordinal(), device.ordinal()));
  }
  device::check_and_clear(
      device,
      is_external_now(runtime) ? device.record_external(raw(), stream.raw()) : device.record(raw(), stream.raw()),
      "record");
  if (GpuTraceSink* sink = runtime.gpu_trace_sink()) sink->event_record(raw(), stream.raw());
}

void Event::wait(const Stream& stream) const {
  if (!is_created()) return;
  Runtime& runtime = stream.runtime();
  device::Device& device = runtime.device();
  device::check_and_clear(
      device, is_external_now(runtime) ? device.wait_external(stream.raw(), raw()) : device.wait(stream.raw(), raw()),
      "wait");
  if (GpuTraceSink* sink = runtime.gpu_trace_sink()) sink->event_wait(raw(), stream.raw());
}

bool Event::query() const {
  if (!is_created()) return true;
  const device::Status status = runtime_->device().query(raw());
  if (status == device::Status::not_ready) return false;
  device::check_and_clear(runtime_->device(), status, "query event");
  return true;
}

void Event::synchronize() const {
  if (!is_created()) return;
  if (GpuTraceSink* sink = runtime_->gpu_trace_sink()) sink->event_synchronization(raw());
  device::check_and_clear(runtime_->device(), runtime_->device().synchronize(raw()), "synchronize");
}

float Event::elapsed_ms(const Event& end) const {
  if (!options_.timing || !end.options_.timing) {
    throw Error("Both events must be created with argument 'enable_timing=True'.");
  }
  if (!is_created() || !end.is_created()) {
    throw Error("Both events must be recorded before calculating elapsed time.");
  }
  if (!query() || !end.query()) throw Error("Both events must be completed before calculating elapsed time.");
  return device::check_and_clear(runtime_->device(), runtime_->device().elapsed_ms(raw(), end.raw()), "elapsed_ms");
}

std::string to_text(const Event& event) {
  if (!event.is_created()) return "<torch.cuda.Event uninitialized>";
  return fmt::format("<torch.cuda.Event {:#x}>", event.raw().value);
}

}  // namespace gpucheck::runtime
