#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"
#include "observe/history/scope.hpp"

namespace gpucheck::cases::in_snapshot::script_frame {
namespace {

void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.recording = observe::Recording::state, .stacks = observe::StackKind::brief});
  runtime::Buffer<float> x;
  runtime::Buffer<float> outside;
  observe_error_of(context, "error", [&] {
    {
      const observe::Scope foo(history, "foo");
      x = random_tensor(runtime, seed_elements);
    }
    outside = random_tensor(runtime, seed_elements + 1);
  });
  const observe::MemorySnapshot snapshot = history.snapshot();
  const FoundBlock inside = find_live(snapshot, seed_bytes);
  context.observe("first_frame", harness::Value(inside.stack.empty() ? "" : inside.stack.front().name));
  const FoundBlock after = find_live(snapshot, seed_bytes + sizeof(float));
  context.observe("outside_has_frames", !after.stack.empty());
  context.observe("outside_names_scope", names(after.stack, "foo"));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.script_frame",
      .summary = "A scope that the user named stands first in the stack of what was allocated in it",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_snapshot_script",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::script_frame
