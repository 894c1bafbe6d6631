#include "cases/cases.hpp"
#include "cases/pool/pool_work.hpp"

namespace gpucheck::cases::pool {
namespace {

/// Eleven blocks of which two neighbours are kept.
Outputs work(runtime::Runtime& runtime) {
  Outputs blocks;
  for (int i = 0; i < 11; ++i) blocks.push_back(ones(runtime, min_block_bytes));
  Outputs kept;
  kept.push_back(std::move(blocks[5]));
  kept.push_back(std::move(blocks[6]));
  return kept;
}

void run(harness::Context& context) { check_restored_at_once(context, work, {1, 1}, true); }

}  // namespace

harness::Case checkpoint_adjacent_blocks() {
  return {
      .name = "pool.checkpoint_adjacent_blocks",
      .summary = "Two neighbouring blocks of a segment come back with a restored checkpoint as two",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_middle_allocations_contiguous",
      .needs = {.memory_bytes = 64 << 20},
      .faults = capture_faults(17),
      .run = run,
  };
}

}  // namespace gpucheck::cases::pool
