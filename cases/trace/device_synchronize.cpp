#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::device_synchronize {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream stream = Stream::current(runtime);
  observe::GpuTrace trace(runtime);
  std::vector<bool> idle_at_call;
  trace.device_synchronization().add([&] { idle_at_call.push_back(stream.query()); });
  trace.activate();
  keep_busy(stream);
  context.observe("error", error_text<Error>([&] { runtime.synchronize(); }));
  context.observe("calls", idle_at_call.size());
  context.observe("idle_at_call", !idle_at_call.empty() && idle_at_call.front());
  context.observe("idle_afterwards", stream.query());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.device_synchronize",
      .summary = "A hook is called once before the host waits for the device",
      .source = "test_cuda_trace.py::TestCudaTrace::test_device_synchronization_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = waiting_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::device_synchronize
