#include <fmt/format.h>
#include <memory>

#include "base/text/units.hpp"
#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::memory_stats_and_result_after_destroy {
namespace {

using namespace literals;
using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::Runtime;

/// What a capture adds to, in one of the allocator's pools.
struct Figures {
  std::int64_t segments = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t active_blocks = 0;
  std::int64_t active_bytes = 0;
};

Figures figures(Runtime& runtime, bool large) {
  const auto stats = runtime.allocator().stats();
  const auto current = [large](const auto& stat) { return (large ? stat.large_pool : stat.small_pool).current; };
  return {current(stats.segment), current(stats.reserved_bytes), current(stats.active), current(stats.active_bytes)};
}

/// As an array, so that one key holds it: segments, reserved bytes, active blocks, active bytes.
std::vector<std::int64_t> difference(const Figures& later, const Figures& earlier) {
  return {later.segments - earlier.segments, later.reserved_bytes - earlier.reserved_bytes,
          later.active_blocks - earlier.active_blocks, later.active_bytes - earlier.active_bytes};
}

void capture_and_destroy(harness::Context& context, std::uint64_t bytes) {
  Runtime& runtime = context.runtime();
  const std::string prefix = fmt::format("{}_bytes_", bytes);
  const bool large = bytes > 1_MiB;
  const device::Stream side = runtime.streams().next();
  auto graph = std::make_unique<Graph>(runtime);
  Floats a, b;
  Figures before;
  {
    const CurrentStreamGuard on_side(runtime, side);
    a = ones(runtime, bytes / sizeof(float));
    settle(runtime);
    before = figures(runtime, large);
    capture(*graph, {}, [&] {
      b = clone(runtime, a);
      for (int i = 0; i < 5; ++i) b = plus(runtime, clone(runtime, b), 1);
    });
  }
  wait_for(runtime, side);
  context.observe(prefix + "captured", difference(figures(runtime, large), before));
  graph->replay();
  settle(runtime);
  context.observe(prefix + "replayed", difference(figures(runtime, large), before));
  context.observe(prefix + "sum", sum(runtime, b));
  graph.reset();
  settle(runtime);
  context.observe(prefix + "sum_after_the_graph", sum(runtime, b));
  settle(runtime);
  context.observe(prefix + "after_the_graph", difference(figures(runtime, large), before));
}

void run(harness::Context& context) {
  context.runtime().allocator().empty_cache();
  for (const std::uint64_t bytes : {512_B, 1_MiB, 1_MiB + 512, 10_MiB - 512, 10_MiB + 512}) {
    capture_and_destroy(context, bytes);
    settle(context.runtime());
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.memory_stats_and_result_after_destroy",
      .summary = "A capture's memory is counted as PyTorch counts it, and a result outlives its graph",
      .source = "test_cuda.py::TestCuda::test_graph_memory_stats_and_use_result_after_destroy_graph",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_node",
                  .summary = "one kernel is missing from the first graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::memory_stats_and_result_after_destroy
