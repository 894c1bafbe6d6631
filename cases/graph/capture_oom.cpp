#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/capture_query.hpp"
#include "runtime/graphs/graph_capture.hpp"

namespace gpucheck::cases::in_graph::capture_oom {
namespace {

using runtime::Buffer;
using runtime::Graph;
using runtime::GraphCapture;
using runtime::Runtime;

constexpr std::size_t too_many = std::size_t{1} << 40U;

/// Asks, in the scope of a capture, for more floats than any device has room for.
void capture_zeros(Runtime& runtime, Graph& graph) {
  const GraphCapture scope(runtime, graph);
  const device::Stream stream = runtime.current_stream();
  Buffer<float> zeros(runtime, too_many, stream);
  tensor::ops::fill(runtime, zeros.data(), zeros.size(), 0.0F, stream);
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream before = runtime.current_stream();
  {
    Graph graph(runtime);
    context.observe("error", error_text<Error>([&] { capture_zeros(runtime, graph); }));
    const runtime::CurrentStreamGuard on_side(runtime, runtime.capture_stream());
    context.observe("still_capturing", runtime::is_current_stream_capturing(runtime));
  }
  Buffer<std::int64_t> runs(runtime, 1, before);
  tensor::ops::fill(runtime, runs.data(), 1, std::int64_t{0}, before);
  Graph next(runtime);
  context.observe("next_capture_error", error_text<Error>([&] {
                    GraphCapture scope(runtime, next);
                    tensor::ops::add(runtime, runs.data(), runs.data(), 1, std::int64_t{1}, runtime.current_stream());
                    scope.end();
                    next.replay();
                  }));
  context.observe("runs_of_the_next_graph", read_one(runtime, runs.data(), before));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.capture_oom",
      .summary = "Running out of memory in a capture says so, and leaves captures possible",
      .source = "test_cuda.py::TestCuda::test_graph_capture_oom",
      .faults = {{.name = "another_error",
                  .summary = "the device fails to allocate and does not say that it is out of memory",
                  .plan = fault::failing(fault::Operation::allocate, device::Status::unknown, fault::nth_call(1))},
                 {.name = "next_capture_fails",
                  .summary = "the device fails to capture a second time",
                  .plan = fault::failing(fault::Operation::begin_capture, device::Status::stream_capture_unsupported,
                                         fault::nth_call(2))},
                 {.name = "replay_lost",
                  .summary = "launching the next graph does nothing",
                  .plan = fault::replay_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::capture_oom
