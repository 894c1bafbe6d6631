#include "cases/pool/stale_storage_support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_stale_storage {
namespace {

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  {
    SecondCapture captures(runtime);
    const PoolId pool = captures.first->graph.pool();
    context.observe("live_blocks_before", live_blocks(runtime, pool));
    Storage* const stale[] = {&captures.second->outputs[0]};
    context.observe("restore_error",
                    error_text<Error>([&] { runtime::restore_pool(allocator, captures.checkpoint, stale, {}); }));
    context.observe("stale_storage_owns_its_block", captures.second->outputs[0].owns());
    captures.second->outputs.clear();  // its block is free already
    context.observe("frees_rejected", allocator.failed_frees().size());
    context.observe("live_blocks_after", live_blocks(runtime, pool));
    context.observe("segments_equal_after_restore", same_segments(captures.segments, allocator.snapshot(pool)));
    replay(runtime, *captures.first);
    context.observe("wrong_bytes", wrong_bytes(runtime, captures.first->outputs[0], 1));
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_stale_storage",
      .summary = "A storage named stale when a checkpoint is restored frees nothing later",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_additional_free_following_checkpoint",
      .faults = capture_faults(2),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_stale_storage
