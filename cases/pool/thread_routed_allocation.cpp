#include <algorithm>
#include <exception>
#include <thread>

#include "cases/pool/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_pool {
namespace {

constexpr int rounds = 10;

Outputs four_floats(runtime::Runtime& runtime) {
  Outputs outputs;
  outputs.push_back(ones(runtime, 4 * sizeof(float)));
  return outputs;
}

/// Two tensors and their sum. Only the sum's first bytes are worked out: all three are
/// there for the memory that they use, and nothing else may allocate any here.
std::int64_t wrong_bytes_of_sum(runtime::Runtime& runtime) {
  const Storage a = ones(runtime, large_buffer_bytes);
  const Storage b = ones(runtime, large_buffer_bytes);
  const device::Stream stream = runtime.current_stream();
  const Storage c(runtime.allocator(), large_buffer_bytes, stream);
  tensor::ops::add(runtime, static_cast<const std::uint8_t*>(a.data()), static_cast<const std::uint8_t*>(b.data()),
                   static_cast<std::uint8_t*>(c.data()), min_block_bytes, stream);
  const std::vector<std::uint8_t> sum =
      read(runtime, static_cast<const std::uint8_t*>(c.data()), min_block_bytes, stream);
  return std::ranges::count_if(sum, [](std::uint8_t value) { return value != 2; });
}

/// What the thread that uses the pool does; the bytes that came out wrong.
std::int64_t use_pool(runtime::Runtime& runtime, PoolId pool) {
  runtime::DeviceAllocator& allocator = runtime.allocator();
  std::int64_t wrong = 0;
  {
    const runtime::CurrentStreamGuard on_side(runtime, runtime.streams().next());
    allocator.begin_allocate_to_pool(pool, runtime::on_stream(runtime.current_stream()));
    for (int round = 0; round < rounds; ++round) wrong += wrong_bytes_of_sum(runtime);
    allocator.end_allocate_to_pool(pool);
    allocator.release_pool(pool);
  }
  return wrong + wrong_bytes_of_sum(runtime);
}

void use_no_pool(runtime::Runtime& runtime) {
  for (int round = 0; round < rounds; ++round) {
    const Storage a = ones(runtime, large_buffer_bytes);
    const Storage b = ones(runtime, large_buffer_bytes);
  }
}

/// Wrong bytes. @throws what either thread threw.
std::int64_t use_both(runtime::Runtime& runtime, PoolId pool) {
  std::int64_t wrong = 0;
  std::exception_ptr thrown_with_pool;
  std::exception_ptr thrown_without;
  {
    const std::jthread with_pool(guarded(thrown_with_pool, [&] { wrong = use_pool(runtime, pool); }));
    const std::jthread without(guarded(thrown_without, [&] { use_no_pool(runtime); }));
  }
  if (thrown_with_pool) std::rethrow_exception(thrown_with_pool);
  if (thrown_without) std::rethrow_exception(thrown_without);
  return wrong;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const std::int64_t segments_before = private_segments(runtime);
  const PoolId pool = runtime::graph_pool_handle();
  {
    const std::unique_ptr<Captured> captured = capture(runtime, four_floats, pool);
    captured->outputs.clear();
    context.observe("pool_segments_before", allocator.snapshot(pool).size());
    context.observe("wrong_bytes", use_both(runtime, pool));
    context.observe("pool_segments_after", allocator.snapshot(pool).size());
    context.observe("live_blocks_after", live_blocks(runtime, pool));
  }
  observe_nothing_left(context, segments_before);
}

}  // namespace

harness::Case thread_routed_allocation() {
  return {
      .name = "pool.thread_routed_allocation",
      .summary = "Only allocations on the routed stream go to a pool, while another thread allocates without it",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_allocate_in_thread_to_pool",
      .needs = {.memory_bytes = 512 << 20},
      .faults = {{.name = "segment_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::from_call(3))},
                 {.name = "memory_allocated_twice",
                  .summary = "the device allocates memory that is in use",
                  .plan = fault::memory_allocated_twice(fault::from_call(4))},
                 {.name = "kernels_lost",
                  .summary = "kernels do nothing",
                  .plan = fault::kernel_lost(fault::from_call(3))},
                 {.name = "memory_never_comes_back",
                  .summary = "the device fails to free memory",
                  .plan = fault::failing(fault::Operation::free, device::Status::invalid_value, fault::every_call)}},
      .deadline = std::chrono::seconds(60),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool
