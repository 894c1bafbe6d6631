#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_snapshot::free_stack_context {
namespace {

using observe::ContextLevel;
using Tensor = runtime::Buffer<float>;

[[gnu::noinline]] Tensor the_alloc(runtime::Runtime& runtime) { return random_tensor(runtime, 3 * 4); }

[[gnu::noinline]] void the_free(Tensor& tensor) { tensor = Tensor(); }

void check(harness::Context& context, const std::string& name, ContextLevel level) {
  runtime::Runtime& runtime = context.runtime();
  runtime.allocator().empty_cache();
  observe::MemoryHistory history(runtime.caching_allocator(), context.device().ordinal());
  history.record({.context = level, .stacks = observe::StackKind::brief});
  observe_error_of(context, name + "_error", [&] {
    Tensor tensor = the_alloc(runtime);
    the_free(tensor);
  });
  const std::string json = json_of(history.snapshot());
  context.observe(name + "_names_free", contains(json, "::the_free("));
  context.observe(name + "_names_alloc", contains(json, "::the_alloc("));
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
      .name = "snapshot.free_stack_context",
      .summary = "The context level says whether a free shows where it happened or where its block was allocated",
      .source = "test_cuda.py::TestCudaMallocAsync::test_memory_plots_free_stack",
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::free_stack_context
