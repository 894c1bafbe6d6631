#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::capture_simple {
namespace {

using runtime::Buffer;
using runtime::CurrentStreamGuard;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  runtime::Graph graph(runtime);
  Buffer<std::int64_t> ones;
  Buffer<std::int64_t> runs;  // counts how often the captured work has run
  Buffer<std::int64_t> result;
  {
    const CurrentStreamGuard on_side(runtime, side);
    ones = Buffer<std::int64_t>(runtime, element_count, side);
    runs = Buffer<std::int64_t>(runtime, 1, side);
    tensor::ops::fill(runtime, ones.data(), ones.size(), std::int64_t{1}, side);
    tensor::ops::fill(runtime, runs.data(), 1, std::int64_t{0}, side);
    runtime.allocator().empty_cache();
    // Whatever ran during the capture by mistake must not be undone by the fill above.
    device::check(context.device(), context.device().synchronize(side), "synchronize");
    graph.capture_begin();
    tensor::ops::add(runtime, runs.data(), runs.data(), 1, std::int64_t{1}, side);
    result = add_repeatedly(runtime, ones, 1, 10);
    graph.capture_end();
    context.observe("runs_during_capture", read_one(runtime, runs.data(), side));
  }
  wait_for(runtime, side);
  graph.replay();
  context.observe("runs_after_replay", read_one(runtime, runs.data(), runtime.current_stream()));
  context.observe("sum_after_replay", sum(runtime, result));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.capture_simple",
      .summary = "Work captured on a side stream runs when the graph is replayed, and not before",
      .source = "test_cuda.py::TestCuda::test_graph_capture_simple",
      .faults = {{.name = "runs_while_captured",
                  .summary = "a kernel runs at once although it is being captured",
                  .plan = fault::broken(fault::Operation::launch_kernel, fault::Effect::run_now, fault::nth_call(3))},
                 {.name = "lost_node",
                  .summary = "one kernel is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(8))},
                 {.name = "lost_replay",
                  .summary = "launching the graph does nothing",
                  .plan = fault::replay_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit of an intermediate result flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(8))},
                 {.name = "stream_kept",
                  .summary = "a stream that is destroyed stays on the device",
                  .plan = fault::broken(fault::Operation::destroy_stream, fault::Effect::drop, fault::nth_call(1))},
                 {.name = "graph_kept",
                  .summary = "a graph that is destroyed stays on the device",
                  .plan = fault::broken(fault::Operation::destroy_graph, fault::Effect::drop, fault::nth_call(1))},
                 {.name = "executable_kept",
                  .summary = "an executable graph that is destroyed stays on the device",
                  .plan =
                      fault::broken(fault::Operation::destroy_executable, fault::Effect::drop, fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::capture_simple
