#include <cstdio>
#include <cstdlib>

#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "harness/case/context.hpp"

namespace gpucheck::cases::in_host::lazy_init {
namespace {

using device::Result;
using device::Status;

// In a fresh process in which nothing has used a device: what does the driver say to a
// call that needs it initialised?
int count_before_first_use(harness::Context& context) {
  const Result<int> count = context.driver().device_count_without_initialising();
  std::printf("%d", count ? 0 : static_cast<int>(count.error()));
  return 0;
}

// Hiding the devices works after start-up only if start-up has not looked for them.
int count_hidden_devices(harness::Context& context) {
  const std::string variable(context.driver().visible_devices_variable());
  ::setenv(variable.c_str(), "32", 1);
  const Result<int> count = context.driver().device_count();
  if (!count && count.error() != Status::no_device) device::check(count.error(), "device_count");
  std::printf("%d", count ? *count : 0);
  return 0;
}

/// The number a child printed; -1 when it died or printed anything else.
int printed_number(const harness::ChildResult& child) {
  if (child.exit_code != 0 || child.output.empty()) return -1;
  char* end = nullptr;
  const long number = std::strtol(child.output.c_str(), &end, 10);
  return *end == '\0' ? static_cast<int>(number) : -1;
}

void run(harness::Context& context) {
  const auto children =
      context.run_children({"count_before_first_use", "count_hidden_devices"}, std::chrono::seconds(8));
  context.observe("code_before_first_use", printed_number(children[0]));
  context.observe("devices_when_hidden", printed_number(children[1]));
  context.observe("devices_when_used", context.driver().device_count().value());
}

}  // namespace

harness::Case define() {
  return {
      .name = "host.lazy_init",
      .summary = "Starting up touches no driver: devices can still be hidden, and the driver is not initialised",
      .source = "test_cuda.py::TestCuda::test_lazy_init",
      .needs = {.any_device = true, .own_process = true},
      .faults = {{.name = "eager_initialisation",
                  .summary = "the driver is initialised at start-up",
                  .plan = fault::broken(fault::Operation::initialize, fault::Effect::eager, fault::nth_call(1))}},
      .run = run,
      .children = {{"count_before_first_use", count_before_first_use}, {"count_hidden_devices", count_hidden_devices}},
  };
}

}  // namespace gpucheck::cases::in_host::lazy_init
