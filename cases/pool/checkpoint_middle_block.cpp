#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_middle_block {
namespace {

/// The one kept gets 2 added in place.
Outputs work(runtime::Runtime& runtime) {
  Outputs kept = kept_of_eleven(runtime, {5});
  auto* const bytes = static_cast<std::uint8_t*>(kept[0].data());
  tensor::ops::add(runtime, bytes, bytes, min_block_bytes, std::uint8_t{2}, runtime.current_stream());
  return kept;
}

void run(harness::Context& context) { check_restored(context, work, {3}, true); }

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_middle_block",
      .summary = "One block in the middle of a segment comes back with a restored checkpoint, its neighbours stay free",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_allocated_in_middle_of_segment",
      .needs = {.memory_bytes = 64 << 20},
      .faults = capture_faults(24),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_middle_block
