#include <vector>

#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::history_context_toggle {
namespace {

using observe::ContextLevel;
using Tensor = runtime::Buffer<float>;

// Each frees the tensor of the one before, once it has its own. No two of one size: the compiler would make one
// function of both, with one name.
[[gnu::noinline]] void should_capture_first(runtime::Runtime& runtime, Tensor& x) { x = random_tensor(runtime, 4 * 3); }
[[gnu::noinline]] void should_not_capture(runtime::Runtime& runtime, Tensor& x) { x = random_tensor(runtime, 4 * 4); }
[[gnu::noinline]] void should_capture_second(runtime::Runtime& runtime, Tensor& x) {
  x = random_tensor(runtime, 4 * 5);
}

/// The stacks of the events of one kind, the oldest first.
std::vector<observe::Stack> stacks_of(const observe::MemorySnapshot& snapshot, runtime::MemoryAction action) {
  std::vector<observe::Stack> stacks;
  for (const observe::TraceEntry& entry : snapshot.trace) {
    if (entry.action == action) stacks.push_back(snapshot.stacks[entry.stack]);
  }
  return stacks;
}

void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  const auto record = [&history](ContextLevel level) {
    history.record({.context = level, .stacks = observe::StackKind::brief});
  };
  Tensor x;
  observe_error_of(context, "error", [&] {
    record(ContextLevel::all);
    should_capture_first(runtime, x);
    record(ContextLevel::none);
    should_not_capture(runtime, x);
    record(ContextLevel::all);
    should_capture_second(runtime, x);
  });

  const observe::MemorySnapshot snapshot = history.snapshot();
  const std::string json = json_of(snapshot);
  context.observe("allocations_recorded", stacks_of(snapshot, runtime::MemoryAction::alloc).size());
  context.observe("names_first", contains(json, "should_capture_first"));
  context.observe("names_second", contains(json, "should_not_capture"));
  context.observe("names_third", contains(json, "should_capture_second"));
  // The first was allocated with its context and freed without; the second the other way round.
  std::vector<observe::Stack> frees = stacks_of(snapshot, runtime::MemoryAction::free_requested);
  context.observe("frees_recorded", frees.size());
  frees.resize(2);
  context.observe("free_of_first_has_frames", !frees[0].empty());
  context.observe("free_of_second_names_third", names(frees[1], "should_capture_second"));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.history_context_toggle",
      .summary = "Stacks can be switched off and on again while the history goes on",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_plots_history_context",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::history_context_toggle
