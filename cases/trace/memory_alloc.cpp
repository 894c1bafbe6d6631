#include "cases/trace/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::memory_alloc {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  Addresses calls;
  trace.memory_allocation().add([&calls](std::uintptr_t address) { calls.push_back(address); });
  trace.activate();
  Tensor tensor;
  context.observe("error",
                  error_text<Error>([&] { tensor = Tensor(runtime, std::size_t{10} * 4, runtime.current_stream()); }));
  observe_calls(context, calls, address_of(tensor));
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.memory_alloc",
      .summary = "A hook for allocations is called once for a tensor, with its address",
      .source = "test_cuda_trace.py::TestCudaTrace::test_memory_allocation_callback",
      .needs = {.any_device = true, .own_process = true, .caching_allocator = true},
      .faults = memory_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::memory_alloc
