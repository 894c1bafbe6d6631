#include <algorithm>

#include "cases/graph/shared_pools_support.hpp"
#include "device/fault/common_plans.hpp"
#include "device/kernels/elementwise.hpp"
#include "device/launch.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::record_stream_in_capture {
namespace {

using runtime::CurrentStreamGuard;
using runtime::Graph;
using runtime::Runtime;

/// As long as the seed's fifty million cycles.
constexpr std::uint64_t hold_ns = 25'000'000;

/// Blocks that were freed and wait for other streams.
std::int64_t pending_blocks(Runtime& runtime) {
  std::int64_t pending = 0;
  for (const runtime::SegmentInfo& segment : runtime.allocator().snapshot()) {
    pending += std::ranges::count(segment.blocks, runtime::BlockState::active_pending_free, &runtime::BlockInfo::state);
  }
  return pending;
}

void fill(Runtime& runtime, Floats& values, float value) {
  tensor::ops::fill(runtime, values.data(), values.size(), value, runtime.current_stream());
}

/// Captures a copy of `a` that a second stream writes too, and that is dropped meanwhile.
void capture_with_record_stream(harness::Context& context, Graph& graph, const Floats& a) {
  Runtime& runtime = context.runtime();
  const device::Stream origin = runtime.current_stream();
  const device::Stream branch = runtime.streams().next();
  graph.capture_begin();
  {
    Floats b = clone(runtime, a);
    const CurrentStreamGuard on_branch(runtime, branch);
    wait_for(runtime, origin);
    fill(runtime, b, 1);
    runtime.allocator().record_stream(b.data(), branch);
  }
  context.observe("pending_blocks_in_the_capture", pending_blocks(runtime));
  wait_for(runtime, branch);
  graph.capture_end();
}

void run(harness::Context& context) {
  Runtime& runtime = context.runtime();
  const device::Stream busy = runtime.streams().next();
  Floats potential_problem = ones(runtime, 3);
  const Floats a = ones(runtime, 3);
  Graph graph(runtime);
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  {
    const CurrentStreamGuard on_busy(runtime, busy);
    runtime.allocator().record_stream(potential_problem.data(), busy);
    device::check(device::launch(runtime.device(), device::kernels::Spin{hold_ns}, 1, busy), "spin");
    fill(runtime, potential_problem, 1);
  }
  potential_problem = {};
  {
    const CurrentStreamGuard on_side(runtime, runtime.streams().next());
    context.observe("capture_error", error_text<Error>([&] { capture_with_record_stream(context, graph, a); }));
  }
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
  context.observe("allocation_error", error_text<Error>([&] { const Floats c = ones(runtime, 3); }));
  context.observe("pending_blocks_at_the_end", pending_blocks(runtime));
}

}  // namespace

harness::Case define() {
  return {
      .name = "graph.record_stream_in_capture",
      .summary = "The allocator asks no event while a capture is open, and what was freed meanwhile is free afterwards",
      .source = "test_cuda.py::TestCuda::test_graph_record_stream",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "event_never_completes",
                  .summary = "an event is never seen complete",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::every_call)},
                 {.name = "event_cannot_be_asked",
                  .summary = "asking an event fails",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::unknown, fault::every_call)},
                 {.name = "capture_refused",
                  .summary = "the device fails to capture",
                  .plan =
                      fault::failing(fault::Operation::begin_capture, device::Status::unknown, fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::record_stream_in_capture
