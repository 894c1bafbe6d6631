#include "cases/pool/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pool::checkpoint_simple {
namespace {

/// As in the seed: zeros doubled, a sum of four ones, ones.
Outputs work(runtime::Runtime& runtime) {
  Storage zeros(runtime.allocator(), 8 * small_bytes, runtime.current_stream());
  tensor::ops::fill(runtime, static_cast<std::uint8_t*>(zeros.data()), zeros.bytes(), std::uint8_t{0},
                    runtime.current_stream());
  Outputs outputs;
  outputs.push_back(plus(runtime, zeros, zeros));
  const Storage two = plus(runtime, ones(runtime, small_bytes), ones(runtime, small_bytes));
  const Storage three = plus(runtime, two, ones(runtime, small_bytes));
  outputs.push_back(plus(runtime, ones(runtime, small_bytes), three));
  outputs.push_back(ones(runtime, small_bytes));
  return outputs;
}

void run(harness::Context& context) { check_restored(context, work, {0, 4, 1}, false); }

}  // namespace

harness::Case define() {
  return {
      .name = "pool.checkpoint_simple",
      .summary = "A restored checkpoint of a captured pool has the same segments and blocks, and the same contents",
      .source = "test_cuda.py::TestBlockStateAbsorption::test_simple",
      .needs = {.memory_bytes = 64 << 20},
      .faults = capture_faults(19),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pool::checkpoint_simple
