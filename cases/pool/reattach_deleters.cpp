#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::reattach_deleters {
namespace {

/// ones + *input, as large as in the seed.
Outputs work(runtime::Runtime& runtime, const std::uint8_t* input) {
  const device::Stream stream = runtime.current_stream();
  Outputs outputs;
  for (const std::size_t bytes : {small_buffer_bytes, small_buffer_bytes, large_buffer_bytes}) {
    const Storage one = ones(runtime, bytes);
    auto& sum = outputs.emplace_back(runtime.allocator(), bytes, stream);
    tensor::ops::add_value(runtime, static_cast<const std::uint8_t*>(one.data()), input,
                           static_cast<std::uint8_t*>(sum.data()), bytes, stream);
  }
  return outputs;
}

void observe_ownership(harness::Context& context, PoolId pool, Outputs& tensors) {
  runtime::Runtime& runtime = context.runtime();
  void* const third = tensors[2].data();
  const auto drop = [&](std::size_t index, const char* key) {
    tensors[index] = Storage(nullptr, 0);
    context.observe(key, live_blocks(runtime, pool));
  };
  drop(0, "live_blocks_first_dropped");
  drop(1, "live_blocks_second_dropped");
  drop(2, "live_blocks_third_dropped");
  context.observe("third_delete_error", error_text<Error>([&] { runtime.allocator().free(third); }));
  context.observe("live_blocks_third_deleted", live_blocks(runtime, pool));
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  {
    const Storage input = ones(runtime, 1);
    auto* const value = static_cast<std::uint8_t*>(input.data());
    const auto captured = capture(runtime, [value](runtime::Runtime& on) { return work(on, value); });
    const PoolId pool = captured->graph.pool();
    replay(runtime, *captured);
    context.observe("wrong_bytes", wrong_bytes_in_all(runtime, captured->outputs, {2, 2, 2}));
    const runtime::PoolCheckpoint checkpoint = allocator.checkpoint(pool);
    context.observe("live_blocks", live_blocks(runtime, pool));
    Outputs tensors = without_owners(captured->outputs);
    captured->outputs.clear();
    context.observe("live_blocks_outputs_dropped", live_blocks(runtime, pool));
    context.observe("wrong_bytes_rebuilt", wrong_bytes_in_all(runtime, tensors, {2, 2, 2}));

    tensor::ops::add(runtime, value, value, 1, std::uint8_t{1}, runtime.current_stream());
    synchronize(runtime);
    replay(runtime, *captured);
    context.observe("wrong_bytes_after_second_replay", wrong_bytes_in_all(runtime, tensors, {3, 3, 3}));

    Storage* const revived[] = {&tensors[0], &tensors[1]};
    runtime::restore_pool(allocator, checkpoint, {}, revived);
    context.observe("live_blocks_after_restore", live_blocks(runtime, pool));
    observe_ownership(context, pool, tensors);
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.reattach_deleters",
      .summary = "Storages rebuilt over a restored checkpoint's blocks own them again, if named, and only then",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_assigning_back_deleter_fns_to_tensor",
      .needs = {.memory_bytes = 128 << 20},
      .faults = capture_faults(13),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::reattach_deleters
