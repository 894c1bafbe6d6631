#include <algorithm>
#include <memory>
#include <string>

#include "cases/alloc/async/async_support.hpp"
#include "cases/alloc/held_stream.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::async_capture {
namespace {

using device::Stream;
using Numbers = runtime::Buffer<std::int64_t>;

constexpr std::size_t count = 512;

/// Memory from before a capture that is freed during one is not part of the graph: the device
/// hears of the free once the capture is over.
void observe_free_from_before(harness::Context& context, AsyncRuntime& async) {
  const auto used_bytes = [&] {
    device::check(async.device(), async.device().synchronize(), "synchronize");
    return async.allocator().stats().allocated_bytes.all.current;
  };
  Numbers before(async.runtime(), count, async.stream());
  void* const block = before.data();
  auto graph = std::make_unique<runtime::Graph>(async.runtime());
  graph->capture_begin();
  const HeldStream work(async.device(), async.stream());
  before = {};
  context.observe("freed_during_the_capture", async.device().freed_on(block).has_value());
  graph->capture_end();
  context.observe("freed_after_the_capture", async.device().freed_on(block).has_value());
  graph.reset();  // it holds memory of its own
  context.observe("bytes_left", used_bytes());
  const auto warnings = async.runtime().warnings();
  context.observe("warnings_of_a_free_from_before", std::ranges::count_if(warnings, [](const std::string& text) {
                    return text.starts_with("free() was called on an uncaptured allocation during graph capture.");
                  }));
}

/// A captured block that two streams used is freed on a third one, which is joined for the user.
void observe_streams(harness::Context& context, AsyncRuntime& async) {
  runtime::Runtime& runtime = async.runtime();
  const Stream origin = async.stream();
  const Stream branch = runtime.streams().next();
  Numbers result(runtime, 1, origin);
  tensor::ops::fill(runtime, result.data(), 1, std::int64_t{-1}, origin);
  runtime::Graph graph(runtime);
  graph.capture_begin();
  order(async.device(), origin, branch);
  {
    Numbers block(runtime, count, branch);
    tensor::ops::iota(runtime, block.data(), count, std::int64_t{5}, branch);
    block.record_stream(origin);
    order(async.device(), branch, origin);
    tensor::ops::sum(runtime, block.data(), count, result.data(), origin);
  }
  context.observe("capture_error", error_text<Error>([&] { graph.capture_end(); }));
  context.observe("replay_error", error_text<Error>([&] { graph.replay(); }));
  context.observe("sum", read_one(runtime, result.data(), origin));
}

void run(harness::Context& context) {
  AsyncRuntime async(context);
  observe_free_from_before(context, async);
  observe_streams(context, async);
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.async_capture",
      .summary =
          "The cudaMallocAsync backend keeps frees of older memory out of a capture, and joins the streams that "
          "it freed on",
      .source = "cudaMallocAsync backend of PyTorch 2.11 in captures",
      .faults = {{.name = "free_lost",
                  .summary = "memory freed never comes back",
                  .plan = fault::broken(fault::Operation::free_async, fault::Effect::drop, fault::every_call)},
                 {.name = "replay_lost",
                  .summary = "launching the graph does nothing",
                  .plan = fault::replay_lost(fault::every_call)},
                 {.name = "lost_node",
                  .summary = "a kernel is missing from the graph",
                  .plan = fault::kernel_lost(fault::nth_call(3))},
                 {.name = "joins_lost",
                  .summary = "a stream does not wait for the event that it is asked to wait for",
                  .plan = fault::broken(fault::Operation::wait, fault::Effect::drop, fault::from_call(3))},
                 {.name = "captures_unknown",
                  .summary = "the device does not know of any capture",
                  .plan =
                      fault::broken(fault::Operation::capture_info, fault::Effect::wrong_answer, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::async_capture
