#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/host_view.hpp"
#include "runtime/memory/transfer.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_host::no_implicit_host_view {
namespace {

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<float> value(runtime, 1, stream);
  tensor::ops::fill(runtime, value.data(), 1, 42.0F, stream);
  context.observe("device_memory_error", error_text<runtime::MemoryKindError>(
                                             [&] { static_cast<void>(runtime::host_view(runtime, value.data(), 1)); }));

  // What was copied to the host on purpose can be seen there, where it is.
  runtime::HostBuffer<float> copy = runtime::to_host(runtime, value.data(), 1, stream);
  std::span<const float> view;
  context.observe("host_memory_error", error_text<Error>([&] { view = runtime::host_view(runtime, copy.data(), 1); }));
  context.observe("host_view_is_in_place", view.data() == copy.data());
  context.observe("value", view.empty() ? 0.0 : double{view.front()});
}

}  // namespace

harness::Case define() {
  return {
      .name = "host.no_implicit_host_view",
      .summary = "Device memory is never copied to be seen by the host: asking for it is an error",
      .source = "test_cuda.py::TestCuda::test_to_numpy",
      .faults = {{.name = "device_memory_unknown",
                  .summary = "the driver does not recognise device memory",
                  .plan =
                      fault::broken(fault::Operation::pointer_info, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "pointer_info_fails",
                  .summary = "the driver cannot say what memory is",
                  .plan = fault::failing(fault::Operation::pointer_info, device::Status::unknown, fault::nth_call(2))},
                 {.name = "lost_copy",
                  .summary = "the copy to the host never happens",
                  .plan = fault::copy_lost(fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_host::no_implicit_host_view
