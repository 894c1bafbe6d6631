#include <algorithm>
#include <vector>

#include "cases/pool/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_restoration {
namespace {

/// A private pool without a graph; its memory goes back at the end of the scope.
class PrivatePool {
 public:
  explicit PrivatePool(runtime::CachingAllocator& allocator) : allocator_(allocator) { allocator_.retain_pool(id); }
  ~PrivatePool() {
    allocator_.release_pool(id);
    static_cast<void>(error_text<Error>([&] { allocator_.empty_cache(); }));
  }
  PrivatePool(const PrivatePool&) = delete;
  PrivatePool& operator=(const PrivatePool&) = delete;

  const PoolId id = runtime::graph_pool_handle();

 private:
  runtime::CachingAllocator& allocator_;
};

/// Where the addresses stand among the blocks, in ascending order; as many as there are blocks
/// for one that is not among them.
std::vector<std::int64_t> positions(const Outputs& blocks, const std::vector<void*>& addresses) {
  std::vector<std::int64_t> result;
  for (void* const address : addresses) {
    result.push_back(std::ranges::find(blocks, address, &Storage::data) - blocks.begin());
  }
  std::ranges::sort(result);
  return result;
}

/// Restores a checkpoint of the first of two blocks while both are in use.
void observe_restoration(harness::Context& context, const PrivatePool& pool, Outputs& blocks, device::Stream stream) {
  runtime::Runtime& runtime = context.runtime();
  runtime::CachingAllocator& allocator = runtime.caching_allocator();
  const runtime::PoolCheckpoint checkpoint = allocator.checkpoint(pool.id);
  blocks.push_back(allocate_in_pool(runtime, pool.id, stream, 2 * min_block_bytes));
  const runtime::PoolRestoration restoration = allocator.restore(checkpoint);
  blocks[1].disown();
  context.observe("freed", harness::Value(positions(blocks, restoration.freed)));
  context.observe("live", harness::Value(positions(blocks, restoration.live)));
  context.observe("live_blocks", live_blocks(runtime, pool.id));

  // No event says yet when the other stream is done with it.
  const auto restore_error = [&] {
    return error_text<Error>([&] { static_cast<void>(allocator.restore(checkpoint)); });
  };
  allocator.record_stream(blocks[0].data(), runtime.streams().next());
  context.observe("error_while_another_stream_uses_a_block", restore_error());
  context.observe("live_blocks_after_the_error", live_blocks(runtime, pool.id));
  blocks.clear();
  context.observe("error_while_a_free_is_pending", restore_error());
  synchronize(runtime);
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.streams().next();
  const PrivatePool pool(runtime.caching_allocator());
  Outputs blocks;
  context.observe("error", error_text<runtime::OutOfMemoryError>(
                               [&] { blocks.push_back(allocate_in_pool(runtime, pool.id, stream, min_block_bytes)); }));
  if (!blocks.empty()) observe_restoration(context, pool, blocks, stream);
}

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_restoration",
      .summary = "Restoring a checkpoint tells which blocks it freed, and takes none from a stream that still uses it",
      .source = "torch._C._cuda_setCheckpointPoolState of PyTorch 2.11",
      .needs = {.memory_bytes = 64 << 20, .caching_allocator = true},
      .faults = {{.name = "segment_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_restoration
