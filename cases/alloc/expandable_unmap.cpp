#include <memory>

#include "base/text/units.hpp"
#include "cases/alloc/held_stream.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/graphs/graph.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::expandable_unmap {
namespace {

using namespace literals;
using device::Stream;
using Block = runtime::Buffer<std::uint8_t>;

constexpr std::size_t block_bytes = 40_MiB;

std::int64_t reserved_bytes(runtime::Runtime& runtime) {
  return runtime.caching_allocator().stats().reserved_bytes.all.current;
}

/// A block is freed while its own stream still writes it.
void observe_own_stream(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream stream = runtime.current_stream();
  Block block(runtime, block_bytes, stream);
  context.observe("reserved_bytes", reserved_bytes(runtime));
  const HeldStream held(context.device(), stream);
  tensor::ops::fill_strided(runtime, block.data(), block.size(), std::uint8_t{1}, 64_KiB, stream,
                            tensor::ops::Claim::all);
  block = {};
  context.observe("work_done_before_empty_cache", held.is_done());
  runtime.allocator().empty_cache();
  context.observe("work_done_after_empty_cache", held.is_done());
  context.observe("reserved_bytes_after_empty_cache", reserved_bytes(runtime));
}

/// A graph is destroyed while a replay, on a stream of its own, still uses the graph's memory.
void observe_replay(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const Stream replaying = runtime.streams().next();
  auto graph = std::make_unique<runtime::Graph>(runtime);
  {
    const runtime::CurrentStreamGuard capturing(runtime, runtime.streams().next());
    graph->capture_begin();
    Block inside(runtime, block_bytes, runtime.current_stream());
    tensor::ops::fill_strided(runtime, inside.data(), inside.size(), std::uint8_t{1}, 64_KiB, runtime.current_stream(),
                              tensor::ops::Claim::all);
    graph->capture_end();
  }
  context.observe("reserved_bytes_of_the_graph", reserved_bytes(runtime));
  const HeldStream held(context.device(), replaying);
  {
    const runtime::CurrentStreamGuard current(runtime, replaying);
    graph->replay();
  }
  graph.reset();
  context.observe("work_done_before_the_graphs_memory_goes", held.is_done());
  runtime.allocator().empty_cache();
  context.observe("work_done_after_the_graphs_memory_went", held.is_done());
  context.observe("reserved_bytes_after_the_graph", reserved_bytes(runtime));
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const SettingsScope settings(runtime, "expandable_segments:True");
  runtime.allocator().empty_cache();
  context.observe("error", error_text<runtime::OutOfMemoryError>([&] {
                    observe_own_stream(context);
                    observe_replay(context);
                  }));
  runtime.allocator().set_settings("expandable_segments:False");
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.expandable_unmap",
      .summary = "The memory of expandable segments is not unmapped before the work that uses it is done",
      .source = "expandable_segments of PyTorch 2.11",
      .needs = {.memory_bytes = 128_MiB, .caching_allocator = true},
      .faults = {{.name = "nobody_waits",
                  .summary = "waiting for a stream or the device returns at once",
                  .plan = fault::synchronize_returns_early(fault::every_call)},
                 {.name = "lost_work",
                  .summary = "the work that holds the streams does not run",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "mapping_fails",
                  .summary = "the device has no memory to map",
                  .plan =
                      fault::failing(fault::Operation::map_memory, device::Status::out_of_memory, fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::expandable_unmap
