#include "device/check.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"

namespace gpucheck::cases::in_device::check_error {
namespace {

using device::Status;

/// The text of the error that `status` is turned into; "" when it is accepted.
std::string raised(device::Device& device, Status status) {
  try {
    device::check(device, status, "check_error");
    return "";
  } catch (const device::DeviceError& error) {
    return error.what();
  }
}

void run(harness::Context& context) {
  device::Device& device = context.device();
  context.observe("code_0_raised", !raised(device, Status::success).empty());
  context.observe("code_2_error", raised(device, static_cast<Status>(2)));

  // The same code from a real call: no device has an exabyte.
  const device::Result<void*> allocation = device.allocate(std::size_t{1} << 60);
  const Status status = allocation ? Status::success : allocation.error();
  context.observe("impossible_allocation_code", static_cast<int>(status));
  context.observe("impossible_allocation_error", raised(device, status));
  static_cast<void>(device.last_error());
  context.observe("last_error_after_reading_it", static_cast<int>(device.last_error()));
}

}  // namespace

harness::Case define() {
  return {
      .name = "device.check_error",
      .summary = "The error checker accepts success and puts out of memory into the vendor's words",
      .source = "test_cuda.py::TestCuda::test_check_error",
      .faults = {{.name = "wrong_error_text",
                  .summary = "the device describes every code as an unknown error",
                  .plan = fault::broken(fault::Operation::error_text, fault::Effect::wrong_answer, fault::every_call)},
                 {.name = "impossible_allocation_succeeds",
                  .summary = "the device claims to have allocated an exabyte",
                  .plan = fault::broken(fault::Operation::allocate, fault::Effect::report_success, fault::nth_call(1))},
                 {.name = "wrong_code",
                  .summary = "running out of memory is reported as a launch failure",
                  .plan =
                      fault::failing(fault::Operation::allocate, device::Status::launch_failure, fault::nth_call(1))},
                 {.name = "error_not_cleared",
                  .summary = "reading the last error does not clear it",
                  .plan =
                      fault::failing(fault::Operation::last_error, device::Status::out_of_memory, fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_device::check_error
