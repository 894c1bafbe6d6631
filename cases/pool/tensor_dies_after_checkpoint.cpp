#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::tensor_dies_after_checkpoint {
namespace {

Outputs two_blocks(runtime::Runtime& runtime) {
  Outputs outputs;
  outputs.push_back(ones(runtime, min_block_bytes));
  outputs.push_back(ones(runtime, min_block_bytes));
  return outputs;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  {
    const std::unique_ptr<Captured> captured = capture(runtime, two_blocks);
    const PoolId pool = captured->graph.pool();
    replay(runtime, *captured);
    context.observe("wrong_bytes", wrong_bytes_in_all(runtime, captured->outputs, {1, 1}));
    const runtime::PoolCheckpoint checkpoint = allocator.checkpoint(pool);
    void* const first = captured->outputs[0].data();
    void* const second = captured->outputs[1].data();
    captured->outputs.clear();
    context.observe("live_blocks_when_dead", live_blocks(runtime, pool));
    runtime::restore_pool(allocator, checkpoint, {}, {});
    context.observe("live_blocks_after_restore", live_blocks(runtime, pool));
    context.observe("first_delete_error", error_text<Error>([&] { allocator.free(first); }));
    context.observe("live_blocks_after_one_delete", live_blocks(runtime, pool));
    context.observe("second_delete_error", error_text<Error>([&] { allocator.free(second); }));
    context.observe("live_blocks_after_two_deletes", live_blocks(runtime, pool));
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.tensor_dies_after_checkpoint",
      .summary =
          "Blocks that died after a checkpoint are live again once it is restored, and can be deleted by address",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_tensor_dies_after_checkpoint",
      .faults = capture_faults(4),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::tensor_dies_after_checkpoint
