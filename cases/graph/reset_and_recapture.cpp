#include <algorithm>

#include "cases/shared/graph_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_graph::reset_and_recapture {
namespace {

using runtime::Buffer;
using runtime::CurrentStreamGuard;

/// Captures `work` on the side stream, joins it, replays and returns the sum of its result.
template <typename Work>
std::int64_t capture_and_replay(runtime::Runtime& runtime, runtime::Graph& graph, device::Stream side,
                                Buffer<std::int64_t>& result, Work work) {
  {
    const CurrentStreamGuard on_side(runtime, side);
    graph.capture_begin();
    result = work();
    graph.capture_end();
  }
  wait_for(runtime, side);
  graph.replay();
  return sum(runtime, result);
}

/// Segments of graphs' pools that the allocator still has, where it has any such.
void observe_private_segments(harness::Context& context, const std::string& key) {
  if (context.allocator().kind != runtime::AllocatorChoice::Kind::caching) return;
  context.observe(key, std::ranges::count_if(context.runtime().allocator().snapshot(),
                                             [](const auto& segment) { return !segment.pool.is_default(); }));
}

/// While a graph captures it neither begins another capture nor ends this one on another stream.
void observe_an_open_capture(harness::Context& context, device::Stream side, const Buffer<std::int64_t>& ones) {
  runtime::Runtime& runtime = context.runtime();
  runtime::Graph graph(runtime);
  const CurrentStreamGuard on_side(runtime, side);
  graph.capture_begin();
  const Buffer<std::int64_t> result = add_repeatedly(runtime, ones, 1, 2);
  std::string begin_error;
  std::string end_error;
  {
    const CurrentStreamGuard on_another(runtime, runtime.streams().next());
    begin_error = error_text<Error>([&] { graph.capture_begin(); });
    end_error = error_text<Error>([&] { graph.capture_end(); });
  }
  context.observe("begun_twice_error", harness::Value(begin_error));
  context.observe("ended_on_another_stream_error", harness::Value(end_error));
  std::int64_t sum_of_the_capture = 0;
  context.observe("end_after_refusals_error", error_text<Error>([&] {
                    graph.capture_end();
                    graph.replay();
                    sum_of_the_capture = sum(runtime, result);
                  }));
  context.observe("sum_after_refusals", sum_of_the_capture);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream side = runtime.streams().next();
  {
    Buffer<std::int64_t> ones(runtime, element_count, side);
    tensor::ops::fill(runtime, ones.data(), ones.size(), std::int64_t{1}, side);
    runtime::Graph graph(runtime);
    runtime.allocator().empty_cache();
    Buffer<std::int64_t> first;
    context.observe("first_sum", capture_and_replay(runtime, graph, side, first,
                                                    [&] { return add_repeatedly(runtime, ones, 1, 10); }));
    context.observe("recapture_before_reset_error", error_text<Error>([&] {
                      const CurrentStreamGuard on_side(runtime, side);
                      graph.capture_begin();
                    }));
    graph.reset();
    context.observe("replay_after_reset_error", error_text<Error>([&] { graph.replay(); }));
    // The first result lives on in the pool of a capture that is no more; the second fills it.
    runtime.allocator().empty_cache();
    observe_private_segments(context, "private_segments_after_reset");
    Buffer<std::int64_t> second;
    std::int64_t second_sum = -1;
    context.observe("second_capture_error", error_text<Error>([&] {
                      second_sum = capture_and_replay(runtime, graph, side, second, [&] {
                        tensor::ops::fill(runtime, first.data(), first.size(), std::int64_t{2}, side);
                        return add_repeatedly(runtime, first, 2, 10);
                      });
                    }));
    context.observe("second_sum", second_sum);
    context.observe("filled_sum", sum(runtime, first));
    graph.reset();
    observe_an_open_capture(context, side, ones);
  }
  // The device refuses while a capture has been left open.
  context.observe("give_back_error", error_text<Error>([&] {
                    runtime.synchronize();
                    runtime.allocator().empty_cache();
                  }));
  observe_private_segments(context, "private_segments_at_end");
}

}  // namespace

harness::Case define() {
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
                 {.name = "third_graph_not_executable",
                  .summary = "the device fails to make the third graph executable",
                  .plan = fault::failing(fault::Operation::instantiate, device::Status::unknown, fault::nth_call(3))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the first result flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(5))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_graph::reset_and_recapture
