#include "cases/trace/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::memory_free {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  Addresses calls;
  trace.memory_deallocation().add([&calls](std::uintptr_t address) { calls.push_back(address); });
  trace.activate();
  Tensor tensor;
  context.observe("error",
                  error_text<Error>([&] { tensor = Tensor(runtime, std::size_t{3} * 8, runtime.current_stream()); }));
  const std::uintptr_t address = address_of(tensor);
  tensor = Tensor();
  observe_calls(context, calls, address);
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.memory_free",
      .summary = "A hook for frees is called once when a tensor goes, with its address",
      .source = "test_cuda_trace.py::TestCudaTrace::test_memory_deallocation_callback",
      .needs = {.any_device = true, .own_process = true, .caching_allocator = true},
      .faults = memory_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::memory_free
