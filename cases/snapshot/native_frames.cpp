#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::native_frames {
namespace {

void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.recording = observe::Recording::state, .stacks = observe::StackKind::full});
  runtime::Buffer<float> x;
  observe_error_of(context, "error", [&] { x = random_tensor(runtime, seed_elements); });
  const FoundBlock found = find_live(history.snapshot(), seed_bytes);
  context.observe("block_found", found.info.requested_size == seed_bytes);
  context.observe("frames_name_rand", names(found.stack, "::rand("));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.native_frames",
      .summary = "With full stacks, a block's frames name the operation that allocated it",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_snapshot_with_cpp",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::native_frames
