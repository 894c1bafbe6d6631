#include <memory>

#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"

namespace gpucheck::cases::in_pinned::graph_pool {
namespace {

using runtime::PinnedBuffer;
using Bytes = PinnedBuffer<std::uint8_t>;

constexpr std::size_t block_bytes = 4096;

std::int64_t blocks_released(runtime::Runtime& runtime) { return runtime.pinned_allocator().stats().num_host_free; }

/// As a copy from or to the memory would.
void use(runtime::Runtime& runtime, const Bytes& bytes, device::Stream stream) {
  static_cast<void>(runtime.pinned_allocator().record_event(bytes.data(), bytes.context(), stream));
}

/// Memory of a capture is the graph's: a free block outside does not serve it, nor it anybody
/// outside, until the graph is gone.
void observe_pool(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const auto outside = [&] { return Bytes(runtime, block_bytes).data(); };
  const std::uint8_t* const cached = outside();
  auto graph = std::make_unique<runtime::Graph>(runtime);
  graph->capture_begin();
  keep_busy(runtime, runtime.current_stream(), std::chrono::milliseconds(1));
  Bytes captured(runtime, block_bytes);
  const std::uint8_t* const in_graph = captured.data();
  use(runtime, captured, runtime.current_stream());
  captured = {};
  graph->capture_end();
  context.observe("cached_block_serves_the_capture", in_graph == cached);
  const Bytes held(runtime, block_bytes);
  context.observe("cached_block_serves_after_it", held.data() == cached);
  context.observe("captured_block_serves_after_it", outside() == in_graph);

  runtime.pinned_allocator().empty_cache();
  const std::int64_t before = blocks_released(runtime);
  graph.reset();
  runtime.pinned_allocator().empty_cache();
  context.observe("blocks_released_with_the_graph", blocks_released(runtime) - before);
}

/// Memory from before a capture, freed while its stream is captured, when no event can be recorded.
void observe_deferred(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  Bytes block(runtime, block_bytes);
  const std::uint8_t* const address = block.data();
  const auto reused = [&] { return Bytes(runtime, block_bytes).data() == address; };
  use(runtime, block, stream);
  {
    runtime::Graph graph(runtime);
    graph.capture_begin();
    keep_busy(runtime, stream, std::chrono::milliseconds(1));
    block = {};
    graph.capture_end();
  }
  keep_busy(runtime, stream);
  context.observe("reused_while_its_stream_works", reused());
  device::check(context.device(), context.device().synchronize(stream), "synchronize");
  context.observe("reused_when_its_stream_is_done", reused());
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const runtime::CurrentStreamGuard current(runtime, runtime.streams().next());
  context.observe("error", error_text<Error>([&] {
                    observe_pool(context);
                    observe_deferred(context);
                  }));
  runtime.pinned_allocator().empty_cache();
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.graph_pool",
      .summary = "Pinned memory of a capture belongs to its graph; what is freed during one waits for its stream",
      .source = "CachingHostAllocator of PyTorch 2.11 in captures",
      .needs = {.caching_allocator = true},
      .faults = {{.name = "pinned_allocation_fails",
                  .summary = "the driver fails to allocate pinned memory",
                  .plan = fault::failing(fault::Operation::allocate_pinned, device::Status::out_of_memory,
                                         fault::every_call)},
                 {.name = "event_completes_early",
                  .summary = "an event says that it is done while the work before it goes on",
                  .plan = fault::event_completes_early(fault::every_call)},
                 {.name = "events_never_complete",
                  .summary = "events stay unfinished although all work is done",
                  .plan = fault::failing(fault::Operation::query_event, device::Status::not_ready, fault::every_call)},
                 {.name = "lost_work",
                  .summary = "the work that holds the stream does not run",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "release_fails",
                  .summary = "the driver does not take pinned memory back",
                  .plan = fault::failing(fault::Operation::free_pinned, device::Status::unknown, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::graph_pool
