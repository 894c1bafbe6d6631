#include "cases/pinned/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_pinned::cudart_register {
namespace {

void run(harness::Context& context) {
  device::Device& device = context.device();
  std::vector<float> tensor(20, 1.0F);
  const std::size_t bytes = tensor.size() * sizeof(float);
  context.observe("pinned_at_first", runtime::is_pinned(device, tensor.data()));
  context.observe("register_status", static_cast<std::int64_t>(device.register_host(tensor.data(), bytes)));
  context.observe("pinned_when_registered", runtime::is_pinned(device, tensor.data()));
  context.observe("end_pinned_when_registered", runtime::is_pinned(device, tensor.data() + tensor.size() - 1));
  context.observe("unregister_status", static_cast<std::int64_t>(device.unregister_host(tensor.data())));
  context.observe("pinned_when_unregistered", runtime::is_pinned(device, tensor.data()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "pinned.cudart_register",
      .summary = "Registering a program's own memory with the driver makes it pinned, until it is unregistered",
      .source = "test_cuda.py::TestCuda::test_cudart_register",
      .faults = {{.name = "register_lost",
                  .summary = "the driver says that it registered memory and did not",
                  .plan = fault::registration_lost(fault::nth_call(1))},
                 {.name = "register_fails",
                  .summary = "the driver fails to register memory",
                  .plan = fault::failing(fault::Operation::register_host, device::Status::unknown, fault::nth_call(1))},
                 {.name = "unregister_lost",
                  .summary = "the driver says that it unregistered memory and did not",
                  .plan = fault::unregistration_lost(fault::nth_call(1))},
                 {.name = "pinned_memory_unknown",
                  .summary = "the driver does not recognise registered memory",
                  .plan = fault::pinned_memory_unknown(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_pinned::cudart_register
