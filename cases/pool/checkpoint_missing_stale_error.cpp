#include "cases/pool/stale_storage_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_missing_stale_error {
namespace {

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const std::int64_t segments_before = private_segments(runtime);
  {
    SecondCapture captures(runtime);
    const PoolId pool = captures.first->graph.pool();
    context.observe("error", error_text<Error>([&] {
                      runtime::restore_pool(runtime.caching_allocator(), captures.checkpoint, {}, {});
                    }));
    context.observe("live_blocks_after", live_blocks(runtime, pool));
    replay(runtime, *captures.first);
    replay(runtime, *captures.second);
    context.observe("wrong_bytes", wrong_bytes(runtime, captures.first->outputs[0], 1) +
                                       wrong_bytes(runtime, captures.second->outputs[0], 1));
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_missing_stale_error",
      .summary =
          "Restoring a checkpoint under a live storage that was not named stale is rejected, and changes nothing",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_additional_free_error",
      .faults = capture_faults(4),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_missing_stale_error
