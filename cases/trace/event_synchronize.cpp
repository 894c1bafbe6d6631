#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::event_synchronize {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream stream = Stream::current(runtime);
  observe::GpuTrace trace(runtime);
  Events calls;
  bool idle_at_call = false;
  trace.event_synchronization().add([&](device::Event given) {
    calls.push_back(given);
    idle_at_call = stream.query();
  });
  trace.activate();
  Event event;
  keep_busy(stream);
  context.observe("error", error_text<Error>([&] {
                    event.record(stream);
                    event.synchronize();
                  }));
  observe_calls(context, calls, event.raw());
  context.observe("idle_at_call", idle_at_call);
  context.observe("idle_afterwards", stream.query());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.event_synchronize",
      .summary = "A hook is called once before the host waits for an event, with its handle",
      .source = "test_cuda_trace.py::TestCudaTrace::test_event_synchronization_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = with_event_not_created(waiting_faults()),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::event_synchronize
