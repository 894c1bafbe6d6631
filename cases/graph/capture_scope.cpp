#include <algorithm>

#include "base/text/units.hpp"
#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph_capture.hpp"
#include "runtime/memory/pinned_buffer.hpp"

namespace gpucheck::cases::in_graph::capture_scope {
namespace {

using namespace literals;
using runtime::Buffer;
using runtime::Graph;
using runtime::GraphCapture;
using runtime::Runtime;

/// Long beside what the host does until it asks.
constexpr std::uint64_t busy_ns = 25'000'000;

/// Other streams may be asked in a capture of this mode.
constexpr device::CaptureMode mode = device::CaptureMode::relaxed;

/// Segments of the default pool that nobody uses.
std::int64_t unused_segments(Runtime& runtime) {
  return std::ranges::count_if(runtime.allocator().snapshot(), [](const runtime::SegmentInfo& segment) {
    return segment.pool.is_default() && segment.active_size == 0;
  });
}

/// Whether a stream that was busy before the scope is still so in it. The stream that the scope chose.
device::Stream enter_while_busy(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream busy = runtime.streams().next();
  runtime.allocator().empty_cache();  // what the scope would give back waits for the device, too
  device::check(runtime.device(), device::launch(runtime.device(), device::kernels::Spin{busy_ns}, 1, busy), "spin");
  Graph graph(runtime);
  const GraphCapture scope(runtime, graph, {.mode = mode});
  context.observe("stream_that_was_busy", std::string(device::status_name(runtime.device().query(busy))));
  static_cast<void>(runtime.device().last_error());
  return runtime.current_stream();
}

void enter_on_a_stream(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream given = runtime.streams().next();
  Graph graph(runtime);
  const GraphCapture scope(runtime, graph, {.stream = given});
  context.observe("captures_on_the_stream_given", runtime.current_stream() == given);
}

/// What a scope finds in the caches, and whether it captures into the pool that it is given. The stream that it chose.
device::Stream enter_with_memory_cached(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const runtime::PoolId pool = runtime::graph_pool_handle();
  const device::Stream before = runtime.current_stream();
  Buffer<std::int64_t> ones(runtime, element_count, before);
  tensor::ops::fill(runtime, ones.data(), ones.size(), std::int64_t{1}, before);
  { const Buffer<std::uint8_t> cached(runtime, 20_MiB, before); }
  { const runtime::PinnedBuffer<std::uint8_t> cached(runtime, 1_MiB); }
  Graph graph(runtime);
  Buffer<std::int64_t> result;
  device::Stream chosen;
  {
    GraphCapture scope(runtime, graph, {.pool = pool, .mode = mode});
    context.observe("unused_segments", unused_segments(runtime));
    context.observe("pinned_bytes", runtime.pinned_allocator().stats().allocated_bytes.current);
    chosen = runtime.current_stream();
    result = add_repeatedly(runtime, ones, 1, 2);
    scope.end();
  }
  context.observe("captured_into_the_pool_given", graph.pool() == pool);
  graph.replay();
  context.observe("sum", sum(runtime, result));
  return chosen;
}

void run(harness::Context& context) {
  const device::Stream chosen = enter_while_busy(context);
  enter_on_a_stream(context);
  context.observe("chooses_the_same_stream_again", enter_with_memory_cached(context) == chosen);
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.capture_scope",
      .summary = "A capturing scope begins on an idle device with empty caches, and uses the pool that it is given",
      .source = "torch.cuda.graph of PyTorch 2.11",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "no_wait",
                  .summary = "waiting for the device returns at once",
                  .plan = fault::synchronize_returns_early(fault::nth_call(1))},
                 {.name = "no_replay",
                  .summary = "launching a graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::capture_scope
