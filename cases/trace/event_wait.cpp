#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::event_wait {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  EventsInStreams calls;
  trace.event_wait().add([&calls](device::Event event, device::Stream stream) { calls.push_back({event, stream}); });
  trace.activate();
  const Stream stream = Stream::current(runtime);
  Event event;
  event.wait(stream);
  context.observe("calls_before_record", calls.size());
  context.observe("error", error_text<Error>([&] {
                    event.record(stream);
                    event.wait(stream);
                  }));
  observe_calls(context, calls, event.raw());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.event_wait",
      .summary = "A hook for waits is called once, with the event and the default stream",
      .source = "test_cuda_trace.py::TestCudaTrace::test_event_wait_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = {event_not_created(),
                 wrong_default_stream(),
                 {.name = "wait_fails",
                  .summary = "the device rejects that a stream waits for an event",
                  .plan = fault::failing(fault::Operation::wait, device::Status::unknown, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::event_wait
