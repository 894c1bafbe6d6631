#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::event_create {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  Events calls;
  trace.event_creation().add([&calls](device::Event event) { calls.push_back(event); });
  trace.activate();
  Event event;
  event.wait(Stream::current(runtime));
  context.observe("calls_before_record", calls.size());
  context.observe("error", error_text<Error>([&] { event.record(Stream::current(runtime)); }));
  observe_calls(context, calls, event.raw());
  context.observe("second_error", error_text<Error>([&] { event.record(Stream::current(runtime)); }));
  context.observe("calls_after_second_record", calls.size());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.event_create",
      .summary = "A hook for new events is called once, with the handle, when the event is first recorded",
      .source = "test_cuda_trace.py::TestCudaTrace::test_event_creation_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = {event_not_created(),
                 event_creation_fails(),
                 record_fails(),
                 {.name = "second_record_fails",
                  .summary = "the device records an event once only",
                  .plan = fault::failing(fault::Operation::record, device::Status::unknown, fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::event_create
