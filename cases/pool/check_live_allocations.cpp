#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::check_live_allocations {
namespace {

Outputs four_floats(runtime::Runtime& runtime) {
  Outputs outputs;
  outputs.push_back(ones(runtime, 4 * sizeof(float)));
  return outputs;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  {
    const PoolId pool = runtime::graph_pool_handle();
    const std::unique_ptr<Captured> captured = capture(runtime, four_floats, pool);
    const void* const output = captured->outputs[0].data();
    context.observe("exactly_the_output", allocator.has_exactly_live(pool, {output}));
    context.observe("output_and_null", allocator.has_exactly_live(pool, {output, nullptr}));
    context.observe("nothing", allocator.has_exactly_live(pool, {}));
    replay(runtime, *captured);
    context.observe("wrong_bytes", wrong_bytes(runtime, captured->outputs[0], 1));
    captured->outputs.clear();
    context.observe("nothing_when_dead", allocator.has_exactly_live(pool, {}));
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.check_live_allocations",
      .summary =
          "Whether a set of addresses is exactly what lives in a pool is reported right, for the set and for others",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_check_pool_live_allocations",
      .faults = capture_faults(2),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::check_live_allocations
