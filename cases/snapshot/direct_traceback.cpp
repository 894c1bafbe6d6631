#include "cases/snapshot/support.hpp"
#include "harness/case/case.hpp"
#include "observe/gpu_trace.hpp"
#include "observe/stacks/native_stack.hpp"

namespace gpucheck::cases::in_snapshot::direct_traceback {
namespace {

// Where the runtime allocates memory, the stack is gathered as bare program counters;
// what they mean is looked up afterwards.
void run(harness::Context& context) {
  require_symbols();
  runtime::Runtime& runtime = context.runtime();
  observe::ProgramCounters counters;
  {
    observe::GpuTrace trace(runtime);
    trace.memory_allocation().add([&counters](std::uintptr_t) { observe::unwind(counters); });
    trace.activate();
    observe_error_of(context, "error", [&] { static_cast<void>(random_tensor(runtime, 128)); });
  }
  observe::Symbolizer symbolizer;
  const std::string text = observe::to_text(symbolizer.frames(counters.view()));
  context.observe("names_function", contains(text, "gpucheck::cases::in_snapshot::random_tensor"));
  context.observe("names_source", contains(text, "snapshot/direct_traceback.cpp"));
  context.observe("names_allocator", contains(text, "gpucheck::runtime::CachingAllocator::allocate"));
  context.observe("names_unwinder", contains(text, "gpucheck::observe::unwind"));
}

}  // namespace

harness::Case define() {
  return {
      .name = "snapshot.direct_traceback",
      .summary = "A stack gathered at a point names its functions, its source file and the unwinder",
      .source = "test_cuda.py::TestCudaMallocAsync::test_direct_traceback",
      .needs = {.caching_allocator = true},
      .faults = allocation_faults(),
      .deadline = std::chrono::seconds(30),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_snapshot::direct_traceback
