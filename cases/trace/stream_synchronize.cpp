#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::stream_synchronize {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  Streams calls;
  bool idle_at_call = false;
  std::optional<Stream> stream;
  trace.stream_synchronization().add([&](device::Stream given) {
    calls.push_back(given);
    idle_at_call = stream->query();
  });
  trace.activate();
  stream = Stream::from_pool(runtime);
  keep_busy(*stream);
  context.observe("error", error_text<Error>([&] { stream->synchronize(); }));
  observe_calls(context, calls, stream->raw());
  context.observe("idle_at_call", idle_at_call);
  context.observe("idle_afterwards", stream->query());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.stream_synchronize",
      .summary = "A hook is called once before the host waits for a stream, with its handle",
      .source = "test_cuda_trace.py::TestCudaTrace::test_stream_synchronization_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = with_streams_not_created(waiting_faults()),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::stream_synchronize
