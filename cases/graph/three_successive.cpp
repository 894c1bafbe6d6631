#include <fmt/format.h>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::three_successive {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::Runtime;

void replay_in_two_orders(harness::Context& context, const SharingName& sharing, device::Stream side) {
  Runtime& runtime = context.runtime();
  const Floats a = ones(runtime, element_count);
  Graph graphs[] = {Graph(runtime), Graph(runtime), Graph(runtime)};
  auto& [g0, g1, g2] = graphs;
  Floats b, c, d, e, f;
  {
    const device::Stream before = runtime.current_stream();
    const CurrentStreamGuard on_side(runtime, side);
    wait_for(runtime, before);
    const Pools pools(sharing.sharing);
    capture(g0, pools.first(), [&] {
      b = clone(runtime, a);
      c = plus(runtime, b, 1);
      d = plus(runtime, b, 2);
    });
    capture(g1, pools.next(g0), [&] {
      e = plus(runtime, c, 3);
      c = {};  // a shared pool gives its memory to f
    });
    capture(g2, pools.next(g0), [&] { f = plus(runtime, d, 4); });
  }
  wait_for(runtime, side);
  const auto observe_sums = [&](std::string_view order) {
    context.observe(fmt::format("{}{}_e_sum", sharing.prefix, order), sum(runtime, e));
    context.observe(fmt::format("{}{}_f_sum", sharing.prefix, order), sum(runtime, f));
  };
  for (Graph* graph : {&g0, &g1, &g2}) graph->replay();
  observe_sums("in_order");
  for (Graph* graph : {&g0, &g2, &g1}) graph->replay();
  observe_sums("reordered");
  settle(runtime);  // before anything of this is freed on another stream
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  runtime.allocator().empty_cache();
  for (const SharingName& sharing : every_sharing) {
    replay_in_two_orders(context, sharing, side);
    runtime.allocator().empty_cache();
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.three_successive",
      .summary = "Graphs that share a pool corrupt each other when replayed out of order, and only then",
      .source = "test_cuda.py::TestCuda::test_graph_three_successive",
      .faults = {{.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_replay",
                  .summary = "launching the second graph of a shared pool out of order does nothing",
                  .plan = fault::replay_lost(fault::nth_call(12))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the first graph's result flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::three_successive
