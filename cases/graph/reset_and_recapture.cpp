#include "cases/graph/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_graph {
namespace {

using runtime::Buffer;
using runtime::CurrentStreamGuard;

/// Captures "fill with `value`, then ten times + `value`" on the side stream, joins it
/// and replays; the sum of the result.
std::int64_t capture_and_replay(runtime::Runtime& runtime, runtime::Graph& graph, device::Stream side,
                                Buffer<std::int64_t>& tensor, std::int64_t value) {
  Buffer<std::int64_t> result;
  {
    const CurrentStreamGuard on_side(runtime, side);
    graph.capture_begin();
    tensor::ops::fill(runtime, tensor.data(), tensor.size(), value, side);
    result = add_repeatedly(runtime, tensor, value, 10);
    graph.capture_end();
  }
  wait_for(runtime, side);
  graph.replay();
  return sum(runtime, result);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  Buffer<std::int64_t> tensor(runtime, element_count, side);
  runtime::Graph graph(runtime);
  context.observe("first_sum", capture_and_replay(runtime, graph, side, tensor, 1));
  graph.reset();
  context.observe("replay_after_reset_error", error_text<Error>([&] { graph.replay(); }));
  context.observe("second_sum", capture_and_replay(runtime, graph, side, tensor, 2));
  graph.reset();
}

}  // namespace

harness::Case reset_and_recapture() {
  return {
      .name = "graph.reset_and_recapture",
      .summary = "A graph that was reset can capture again, and replays only the new work",
      .source = "test_cuda.py::TestCuda::test_graph_capture_reset_recapture",
      .faults = {{.name = "second_replay_lost",
                  .summary = "launching the second graph does nothing",
                  .plan = fault::replay_lost(fault::nth_call(2))},
                 {.name = "lost_node_in_second_capture",
                  .summary = "one kernel is missing from the second graph",
                  .plan = fault::kernel_lost(fault::nth_call(16))},
                 {.name = "second_capture_fails",
                  .summary = "the device fails to capture a second time",
                  .plan = fault::failing(fault::Operation::begin_capture, device::Status::stream_capture_unsupported,
                                         fault::nth_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the first result flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(5))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph
