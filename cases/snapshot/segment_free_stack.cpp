#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::segment_free_stack {
namespace {

using observe::ContextLevel;

[[gnu::noinline]] void release_cached_memory(runtime::Runtime& runtime) { runtime.allocator().empty_cache(); }

void check(harness::Context& context, const std::string& name, ContextLevel level) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.context = level, .stacks = observe::StackKind::full});
  observe_error_of(context, name + "_error", [&] {
    static_cast<void>(random_tensor(runtime, 3 * 4));
    release_cached_memory(runtime);
  });
  const observe::MemorySnapshot snapshot = history.snapshot();
  context.observe(name + "_last_action", last_action(snapshot));
  context.observe(name + "_names_empty_cache", contains(json_of(snapshot), "::empty_cache("));
}

void run(harness::Context& context) {
  require_symbols();
  check(context, "alloc", ContextLevel::alloc);
  check(context, "all", ContextLevel::all);
  check(context, "state", ContextLevel::state);
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.segment_free_stack",
      .summary = "Only the full context shows which call freed a segment",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_plots_free_segment_stack",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::segment_free_stack
