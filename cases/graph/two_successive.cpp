#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::two_successive {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::Runtime;

/// Two graphs replayed with eager work in between; the bytes reserved afterwards.
std::int64_t replay_in_turns(harness::Context& context, const SharingName& sharing, device::Stream side) {
  Runtime& runtime = context.runtime();
  const std::string prefix(sharing.prefix);
  const Floats a = ones(runtime, element_count);
  Floats b;
  Graph first(runtime);
  Graph second(runtime);
  {
    const device::Stream before = runtime.current_stream();
    const CurrentStreamGuard on_side(runtime, side);
    wait_for(runtime, before);
    const Pools pools(sharing.sharing);
    capture(first, pools.first(), [&] {
      b = clone(runtime, a);
      double_repeatedly(runtime, b, 1, 5);
    });
    capture(second, pools.next(first), [&] { double_repeatedly(runtime, b, 1, 5); });
  }
  wait_for(runtime, side);
  Floats c = clone(runtime, a);
  double_repeatedly(runtime, c, 3, 2);
  first.replay();
  double_repeatedly(runtime, c, 3, 2);
  second.replay();
  double_repeatedly(runtime, c, 3, 2);
  context.observe(prefix + "b_sum", sum(runtime, b));
  context.observe(prefix + "c_sum", sum(runtime, c));
  const std::int64_t reserved = runtime.allocator().stats().reserved_bytes.all.current;
  settle(runtime);  // before anything of this is freed on another stream
  return reserved;
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  runtime.allocator().empty_cache();
  std::int64_t separate = 0;
  for (const SharingName& sharing : every_sharing) {
    const std::int64_t reserved = replay_in_turns(context, sharing, side);
    runtime.allocator().empty_cache();
    if (sharing.sharing == Sharing::none) {
      separate = reserved;
    } else {
      context.observe(std::string(sharing.prefix) + "bytes_saved", separate - reserved);
    }
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.two_successive",
      .summary = "Two graphs replayed in the order of their capture work, sharing a pool or not; sharing saves memory",
      .source = "test_cuda.py::TestCuda::test_graph_two_successive",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "no_kernel", .summary = "no kernel runs", .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "lost_node",
                  .summary = "one kernel is missing from the second graph that shares a pool",
                  .plan = fault::kernel_lost(fault::nth_call(72))},
                 {.name = "flipped_bit",
                  .summary = "one bit of an intermediate result of the first graph flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(4))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::two_successive
