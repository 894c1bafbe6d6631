#include <algorithm>

#include "cases/snapshot/support.hpp"
#include "harness/case.hpp"

namespace gpucheck::cases::in_snapshot {
namespace {

using observe::ContextLevel;
using Tensor = runtime::Buffer<float>;

[[gnu::noinline]] Tensor should_capture_first(runtime::Runtime& runtime) { return random_tensor(runtime, 4 * 3); }
[[gnu::noinline]] Tensor should_not_capture(runtime::Runtime& runtime) { return random_tensor(runtime, 4 * 4); }
[[gnu::noinline]] Tensor should_capture_second(runtime::Runtime& runtime) { return random_tensor(runtime, 4 * 5); }

std::int64_t count_allocations(const observe::MemorySnapshot& snapshot) {
  return std::ranges::count(snapshot.trace, runtime::MemoryAction::alloc, &observe::TraceEntry::action);
}

void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  const auto record = [&history](ContextLevel level) {
    history.record({.context = level, .stacks = observe::StackKind::brief});
  };
  record(ContextLevel::all);
  const Tensor first = should_capture_first(runtime);
  record(ContextLevel::none);
  const Tensor second = should_not_capture(runtime);
  record(ContextLevel::all);
  const Tensor third = should_capture_second(runtime);

  const observe::MemorySnapshot snapshot = history.snapshot();
  const std::string json = json_of(snapshot);
  context.observe("allocations_recorded", count_allocations(snapshot));
  context.observe("names_first", contains(json, "should_capture_first"));
  context.observe("names_second", contains(json, "should_not_capture"));
  context.observe("names_third", contains(json, "should_capture_second"));
}

}  // namespace

harness::Case history_context_toggle() {
  return {
      .name = "snapshot.history_context_toggle",
      .summary = "Stacks can be switched off and on again while the history goes on",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_plots_history_context",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot
