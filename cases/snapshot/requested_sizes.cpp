#include <vector>

#include "cases/snapshot/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::requested_sizes {
namespace {

using Block = runtime::Buffer<std::uint8_t>;

/// What was last asked for of each block, in address order.
std::vector<std::int64_t> sizes_in_order(runtime::Runtime& runtime) {
  std::vector<std::int64_t> sizes;
  for (const runtime::SegmentInfo& segment : runtime.caching_allocator().snapshot()) {
    for (const runtime::BlockInfo& block : segment.blocks)
      sizes.push_back(static_cast<std::int64_t>(block.requested_size));
  }
  return sizes;
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  const auto observe_sizes = [&](const std::string& key) {
    context.observe(key, harness::Value(sizes_in_order(runtime)));
  };
  const auto allocate = [&](Block& block, std::size_t bytes) {
    block = Block(runtime, bytes, runtime.current_stream());
  };
  Block block;
  observe_error_of(context, "error", [&] { allocate(block, 1000); });
  observe_sizes("first_use");
  // Freed and asked for at once, without a look at the cache in between.
  block = {};
  observe_error_of(context, "error_of_the_second_use", [&] { allocate(block, 1010); });
  observe_sizes("second_use");
  block = {};
  observe_sizes("freed");
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.requested_sizes",
      .summary = "A snapshot says of each block how much was last asked for in it, also where another was cut from it",
      .source = "torch.cuda.memory_snapshot() of PyTorch 2.11: requested_size of blocks",
      .needs = {.memory_bytes = 64 << 20, .caching_allocator = true},
      .faults = {{.name = "allocation_fails",
                  .summary = "the device fails to allocate memory that it has",
                  .plan = fault::allocation_fails(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::requested_sizes
