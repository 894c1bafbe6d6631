#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_adjacent_blocks {
namespace {

Outputs work(runtime::Runtime& runtime) { return kept_of_eleven(runtime, {5, 6}); }

void run(harness::Context& context) { check_restored(context, work, {1, 1}, true); }

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_adjacent_blocks",
      .summary = "Two neighbouring blocks of a segment come back with a restored checkpoint as two",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_middle_allocations_contiguous",
      .needs = {.memory_bytes = 64 << 20},
      .faults = capture_faults(17),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_adjacent_blocks
