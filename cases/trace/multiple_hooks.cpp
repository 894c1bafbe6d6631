#include <fmt/format.h>

#include "cases/trace/support.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_trace::multiple_hooks {
namespace {

// Tracing is switched on before anything else is done with the device.
void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  observe::GpuTrace trace(runtime);
  std::vector<std::string> order;
  Addresses first;
  Addresses second;
  trace.memory_allocation().add([&](std::uintptr_t address) {
    order.emplace_back("first");
    first.push_back(address);
  });
  trace.memory_allocation().add([](std::uintptr_t) { throw Error("this hook is broken"); });
  trace.memory_allocation().add([&](std::uintptr_t address) {
    order.emplace_back("second");
    second.push_back(address);
  });
  trace.activate();
  Tensor tensor;
  context.observe("error",
                  error_text<Error>([&] { tensor = Tensor(runtime, std::size_t{10} * 4, runtime.current_stream()); }));
  context.observe("order", fmt::format("{}", fmt::join(order, " ")));
  const std::uintptr_t address = address_of(tensor);
  context.observe("first_given_address", first == Addresses{address} && address != 0);
  context.observe("second_given_address", second == Addresses{address} && address != 0);
  const std::vector<std::string> warnings = runtime.warnings();
  context.observe("warnings", warnings.size());
  context.observe("warning", warnings.empty() ? "" : warnings.front());
}

}  // namespace

harness::Case define() {
  return {
      .name = "trace.multiple_hooks",
      .summary =
          "Several hooks for one kind of event are called once each, in their order, whatever one of them throws",
      .source = "test_cuda_trace.py::TestCudaTrace::test_all_trace_callbacks_called",
      .needs = {.any_device = true, .own_process = true, .caching_allocator = true},
      .faults = memory_faults(),
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_trace::multiple_hooks
