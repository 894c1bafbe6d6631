#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/streams/event.hpp"

namespace gpucheck::cases::in_graph::external_event_timing {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Event;
using runtime::Graph;
using runtime::Runtime;
using runtime::Stream;

constexpr std::size_t large_count = 10'240'000;

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  // A graph launches its events: they must be there as long as it is.
  Event start({.timing = true, .external = true});
  Event end({.timing = true, .external = true});
  Graph graph(runtime, {.keep_graph = true});
  Floats x, y, z;
  {
    const CurrentStreamGuard on_side(runtime, side);
    x = ones(runtime, large_count);
    y = ones(runtime, large_count);
    capture(graph, {}, [&] {
      start.record(Stream::current(runtime));
      z = plus(runtime, x, y);
      end.record(Stream::current(runtime));
    });
    context.observe("nodes", static_cast<std::int64_t>(runtime.device().node_count(graph.raw_graph()).value()));
    graph.replay();
  }
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  double elapsed_ms = 0;
  context.observe("elapsed_error", error_text<Error>([&] { elapsed_ms = double{start.elapsed_ms(end)}; }));
  context.observe("elapsed_ms", elapsed_ms);
  context.observe("z_sum", sum(runtime, z));
  settle(runtime);
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.external_event_timing",
      .summary = "External events recorded in a capture tell the time that a replay took between them",
      .source = "test_cuda.py::TestCuda::test_graph_timing",
      .needs = {.caching_allocator = true},  // another one adds nodes of its own
      .faults = {{.name = "no_time_passes",
                  .summary = "the device says that no time passed between the events",
                  .plan = fault::broken(fault::Operation::elapsed_ms, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "event_not_in_the_graph",
                  .summary = "recording the second event does not reach the graph",
                  .plan = fault::event_never_recorded(fault::nth_call(2))},
                 {.name = "lost_node",
                  .summary = "the addition is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::external_event_timing
