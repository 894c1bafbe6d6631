#include "cases/cases.hpp"
#include "cases/pool/pool_work.hpp"

namespace gpucheck::cases::pool {
namespace {

/// Eleven blocks of which one in the middle is kept, and gets 2 added in place.
Outputs work(runtime::Runtime& runtime) {
  Outputs blocks;
  for (int i = 0; i < 11; ++i) blocks.push_back(ones(runtime, min_block_bytes));
  Outputs kept;
  kept.push_back(std::move(blocks[5]));
  auto* const bytes = static_cast<std::uint8_t*>(kept[0].data());
  runtime::ops::add(runtime, bytes, bytes, min_block_bytes, std::uint8_t{2}, runtime.current_stream());
  return kept;
}

void run(harness::Context& context) { check_restored_at_once(context, work, {3}, true); }

}  // namespace

harness::Case checkpoint_middle_block() {
  return {
      .name = "pool.checkpoint_middle_block",
      .summary = "One block in the middle of a segment comes back with a restored checkpoint, its neighbours stay free",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_allocated_in_middle_of_segment",
      .needs = {.memory_bytes = 64 << 20},
      .faults = capture_faults(24),
      .run = run,
  };
}

}  // namespace gpucheck::cases::pool
