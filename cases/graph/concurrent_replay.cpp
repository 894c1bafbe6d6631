#include <algorithm>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::concurrent_replay {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::Runtime;

/// Enough for the kernels of both graphs to overlap.
constexpr std::size_t large_count = 1'000'000;
/// Holds both replays back until both have been launched.
constexpr std::uint64_t hold_ns = 1'000'000;

/// The temporaries of two graphs that share a pool are the same memory: their races are
/// what this case provokes.
void expect_races_in(harness::Context& context, runtime::PoolId pool) {
  harness::ExpectedRaces expected{{"copy device_to_device", "add_scalar", "add_arrays"}, {}};
  for (const runtime::SegmentInfo& segment : context.runtime().allocator().snapshot()) {
    if (segment.pool != pool) continue;
    expected.memory.push_back({reinterpret_cast<const void*>(segment.address), segment.total_size});
  }
  context.expect_races(std::move(expected));
}

/// Elements that are not `expected`.
std::int64_t wrong_elements(Runtime& runtime, const Floats& values, float expected) {
  const std::vector<float> seen = read(runtime, values.data(), values.size(), runtime.current_stream());
  return static_cast<std::int64_t>(seen.size()) - std::ranges::count(seen, expected);
}

void replay_side_by_side(harness::Context& context, const SharingName& sharing) {
  Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  const device::Stream streams[] = {runtime.streams().next(), runtime.streams().next()};
  const Floats a = ones(runtime, large_count);
  Floats b, c;
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
    capture(second, pools.next(first), [&] {
      c = clone(runtime, a);
      double_repeatedly(runtime, c, 2, 5);
    });
  }
  const bool corrupts = first.pool() == second.pool();
  if (corrupts) expect_races_in(context, first.pool());
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  {
    const CurrentStreamGuard on_first(runtime, streams[0]);
    device::check(device::launch(runtime.device(), device::kernels::Spin{hold_ns}, 1, streams[0]), "spin");
    {
      const CurrentStreamGuard on_second(runtime, streams[1]);
      wait_for(runtime, streams[0]);
    }
    first.replay();
  }
  {
    const CurrentStreamGuard on_second(runtime, streams[1]);
    second.replay();
  }
  for (const device::Stream stream : streams) wait_for(runtime, stream);
  const std::string prefix(sharing.prefix);
  context.observe(prefix + "b_wrong_elements", wrong_elements(runtime, b, 94));
  context.observe(prefix + "c_wrong_elements", wrong_elements(runtime, c, 156));
  settle(runtime);
}

void run(harness::Context& context) {
  context.runtime().allocator().empty_cache();
  for (const SharingName& sharing : every_sharing) {
    replay_side_by_side(context, sharing);
    context.runtime().allocator().empty_cache();
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.concurrent_replay",
      .summary = "Graphs replayed side by side corrupt each other when they share a pool, and only then",
      .source = "test_cuda.py::TestCuda::test_graph_concurrent_replay",
      .needs = {.exclusive = true, .caching_allocator = true},
      .faults = {{.name = "replay_alone",
                  .summary = "launching the second graph of a shared pool does nothing, so that the first runs alone",
                  .plan = fault::replay_lost(fault::nth_call(4))},
                 {.name = "other_replay_alone",
                  .summary = "launching the first graph of a shared pool does nothing, so that the second runs alone",
                  .plan = fault::replay_lost(fault::nth_call(3))},
                 {.name = "replay_of_a_handles_alone",
                  .summary = "the same for the second graph of a shared handle",
                  .plan = fault::replay_lost(fault::nth_call(6))},
                 {.name = "other_replay_of_a_handles_alone",
                  .summary = "the same for the first graph of a shared handle",
                  .plan = fault::replay_lost(fault::nth_call(5))},
                 {.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::concurrent_replay
