#include "runtime/graphs/capture_query.hpp"

#include <thread>

#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::capture_query {
namespace {

using runtime::CurrentStreamGuard;
using runtime::is_current_stream_capturing;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  {
    const CurrentStreamGuard on_default(runtime, runtime.device().default_stream());
    context.observe("on_the_default_stream", is_current_stream_capturing(runtime));
  }
  const CurrentStreamGuard on_side(runtime, runtime.streams().next());
  runtime::Graph graph(runtime);
  context.observe("before_the_capture", is_current_stream_capturing(runtime));
  graph.capture_begin();
  context.observe("in_the_capture", is_current_stream_capturing(runtime));
  {
    const CurrentStreamGuard on_another(runtime, runtime.streams().next());
    context.observe("on_another_stream", is_current_stream_capturing(runtime));
  }
  bool in_another_thread = true;
  std::exception_ptr thrown;
  std::thread(guarded(thrown, [&] { in_another_thread = is_current_stream_capturing(runtime); })).join();
  if (thrown) std::rethrow_exception(thrown);
  context.observe("in_another_thread", in_another_thread);
  graph.capture_end();
  context.observe("after_the_capture", is_current_stream_capturing(runtime));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.capture_query",
      .summary = "Whether the current stream is being captured is known, and no other stream is taken for it",
      .source = "test_cuda.py::TestCuda::test_graph_is_current_stream_capturing",
      .faults = {{.name = "no_capture_told",
                  .summary = "the device says of a stream that is captured that it is not",
                  .plan =
                      fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::capture_query
