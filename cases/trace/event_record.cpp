#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::event_record {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  EventsInStreams calls;
  trace.event_record().add([&calls](device::Event event, device::Stream stream) { calls.push_back({event, stream}); });
  trace.activate();
  Event event;
  context.observe("error", error_text<Error>([&] { event.record(Stream::current(runtime)); }));
  observe_calls(context, calls, event.raw());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.event_record",
      .summary = "A hook for records is called once, with the event and the default stream",
      .source = "test_cuda_trace.py::TestCudaTrace::test_event_record_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = {event_not_created(), record_fails(), wrong_default_stream()},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::event_record
