#include "observe/gpu_trace.hpp"

#include "runtime/trace/gpu_trace_sink.hpp"

namespace gpucheck::observe {

using device::Event;
using device::Stream;

class GpuTrace::Sink final : public runtime::GpuTraceSink {
 public:
  explicit Sink(runtime::Runtime& runtime) : warn_([&runtime](std::string text) { runtime.warn(std::move(text)); }) {}

  void event_creation(Event event) noexcept override { event_created.fire(event); }
  void event_deletion(Event event) noexcept override { event_deleted.fire(event); }
  void event_record(Event event, Stream stream) noexcept override { event_recorded.fire(event, stream); }
  void event_wait(Event event, Stream stream) noexcept override { event_waited_for.fire(event, stream); }
  void memory_allocation(std::uintptr_t address) noexcept override { allocated.fire(address); }
  void memory_deallocation(std::uintptr_t address) noexcept override { deallocated.fire(address); }
  void stream_creation(Stream stream) noexcept override { stream_created.fire(stream); }
  void device_synchronization() noexcept override { device_synchronized.fire(); }
  void stream_synchronization(Stream stream) noexcept override { stream_synchronized.fire(stream); }
  void event_synchronization(Event event) noexcept override { event_synchronized.fire(event); }

 private:
  std::function<void(std::string)> warn_;

 public:
  CallbackRegistry<Event> event_created{"CUDA event creation", warn_};
  CallbackRegistry<Event> event_deleted{"CUDA event deletion", warn_};
  CallbackRegistry<Event, Stream> event_recorded{"CUDA event record", warn_};
  CallbackRegistry<Event, Stream> event_waited_for{"CUDA event wait", warn_};
  CallbackRegistry<std::uintptr_t> allocated{"CUDA memory allocation", warn_};
  CallbackRegistry<std::uintptr_t> deallocated{"CUDA memory deallocation", warn_};
  CallbackRegistry<Stream> stream_created{"CUDA stream creation", warn_};
  CallbackRegistry<> device_synchronized{"CUDA device synchronization", warn_};
  CallbackRegistry<Stream> stream_synchronized{"CUDA stream synchronization", warn_};
  CallbackRegistry<Event> event_synchronized{"CUDA event synchronization", warn_};
};

GpuTrace::GpuTrace(runtime::Runtime& runtime) : runtime_(runtime), sink_(std::make_unique<Sink>(runtime)) {}

GpuTrace::~GpuTrace() {
  if (is_active_) runtime_.set_gpu_trace_sink(nullptr);
}

void GpuTrace::activate() {
  runtime_.set_gpu_trace_sink(sink_.get());
  is_active_ = true;
}

CallbackRegistry<Event>& GpuTrace::event_creation() noexcept { return sink_->event_created; }
CallbackRegistry<Event>& GpuTrace::event_deletion() noexcept { return sink_->event_deleted; }
CallbackRegistry<Event, Stream>& GpuTrace::event_record() noexcept { return sink_->event_recorded; }
CallbackRegistry<Event, Stream>& GpuTrace::event_wait() noexcept { return sink_->event_waited_for; }
CallbackRegistry<std::uintptr_t>& GpuTrace::memory_allocation() noexcept { return sink_->allocated; }
CallbackRegistry<std::uintptr_t>& GpuTrace::memory_deallocation() noexcept { return sink_->deallocated; }
CallbackRegistry<Stream>& GpuTrace::stream_creation() noexcept { return sink_->stream_created; }
CallbackRegistry<>& GpuTrace::device_synchronization() noexcept { return sink_->device_synchronized; }
CallbackRegistry<Stream>& GpuTrace::stream_synchronization() noexcept { return sink_->stream_synchronized; }
CallbackRegistry<Event>& GpuTrace::event_synchronization() noexcept { return sink_->event_synchronized; }

}  // namespace gpucheck::observe
