#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::event_destroy {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  Events calls;
  trace.event_deletion().add([&calls](device::Event event) { calls.push_back(event); });
  trace.activate();
  device::Event handle;
  {
    Event event;
    context.observe("error", error_text<Error>([&] { event.record(Stream::current(runtime)); }));
    context.observe("calls_while_it_lives", calls.size());
    handle = event.raw();
  }
  observe_calls(context, calls, handle);
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.event_destroy",
      .summary = "A hook for events that go is called once, with the handle the event had",
      .source = "test_cuda_trace.py::TestCudaTrace::test_event_deletion_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = {event_not_created(), event_creation_fails(), record_fails()},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::event_destroy
