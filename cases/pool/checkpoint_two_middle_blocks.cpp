#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_two_middle_blocks {
namespace {

Outputs work(runtime::Runtime& runtime) { return kept_of_eleven(runtime, {5, 8}); }

void run(harness::Context& context) { check_restored(context, work, {1, 1}, true); }

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_two_middle_blocks",
      .summary = "Two blocks of a segment, apart from each other, come back with a restored checkpoint",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_multiple_middle_allocations",
      .needs = {.memory_bytes = 64 << 20},
      .faults = capture_faults(20),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_two_middle_blocks
