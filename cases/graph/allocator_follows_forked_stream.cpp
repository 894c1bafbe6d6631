#include <set>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::allocator_follows_forked_stream {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::PoolId;
using runtime::Runtime;

constexpr std::size_t large_count = 10'240'000;

std::set<PoolId> pools_of(Runtime& runtime) {
  std::set<PoolId> pools;
  for (const runtime::SegmentInfo& segment : runtime.allocator().snapshot()) pools.insert(segment.pool);
  return pools;
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream before = runtime.current_stream();
  const device::Stream origin = runtime.streams().next();
  const device::Stream branch = runtime.streams().next();
  const Floats x = ones(runtime, large_count);
  const Floats y = ones(runtime, large_count);
  const std::set<PoolId> known = pools_of(runtime);
  Graph graph(runtime);
  Floats z, w;
  {
    const CurrentStreamGuard on_origin(runtime, origin);
    wait_for(runtime, before);
    graph.capture_begin();
    z = plus(runtime, x, y);
  }
  {
    const CurrentStreamGuard on_branch(runtime, branch);
    wait_for(runtime, origin);
    w = plus(runtime, z, y);
  }
  {
    const CurrentStreamGuard on_origin(runtime, origin);
    wait_for(runtime, branch);
    graph.capture_end();
  }
  std::vector<PoolId> of_new_segments;
  for (const runtime::SegmentInfo& segment : runtime.allocator().snapshot()) {
    if (!known.contains(segment.pool)) of_new_segments.push_back(segment.pool);
  }
  context.observe("new_segments", static_cast<std::int64_t>(of_new_segments.size()));
  context.observe("new_pools",
                  static_cast<std::int64_t>(std::set(of_new_segments.begin(), of_new_segments.end()).size()));
  {
    const CurrentStreamGuard on_origin(runtime, origin);
    graph.replay();
    context.observe("w_sum", sum(runtime, w));
  }
  settle(runtime);
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.allocator_follows_forked_stream",
      .summary = "Memory of a stream that joins a capture comes from the graph's pool",
      .source = "test_cuda.py::TestCuda::test_cuda_graph_allocator_propagates_stream",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "branch_not_joined",
                  .summary = "the event by which the second stream joins is never recorded",
                  .plan = fault::event_never_recorded(fault::nth_call(2))},
                 {.name = "lost_node",
                  .summary = "one kernel is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(4))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::allocator_follows_forked_stream
