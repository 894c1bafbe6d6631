#include "cases/trace/event_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::stream_create {
namespace {

// Tracing is switched on before anything else is done with the device: the case begins on
// the default stream, so that there is no pool yet.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  std::vector<device::Stream> calls;
  trace.stream_creation().add([&calls](device::Stream stream) { calls.push_back(stream); });
  trace.activate();
  device::Stream user;
  context.observe("error", error_text<Error>([&] { user = Stream::from_pool(runtime).raw(); }));
  context.observe("calls", calls.size());
  context.observe("user_stream_given", std::ranges::find(calls, user) != calls.end() && user != device::Stream{});
  std::ranges::sort(calls);
  context.observe("different_streams", std::unique(calls.begin(), calls.end()) - calls.begin());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.stream_create",
      .summary = "A hook for new streams is called for each of the pool, when the first one is asked for",
      .source = "test_cuda_trace.py::TestCudaTrace::test_stream_creation_callback",
      .needs = {.any_device = true, .own_process = true, .default_stream = true},
      .faults = {{.name = "stream_creation_fails",
                  .summary = "the device creates no stream",
                  .plan = fault::failing(fault::Operation::create_stream, device::Status::out_of_memory,
                                         fault::nth_call(1))},
                 {.name = "streams_not_created",
                  .summary = "streams that were said to be created are the default one",
                  .plan = fault::broken(fault::Operation::create_stream, fault::Effect::drop, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::stream_create
