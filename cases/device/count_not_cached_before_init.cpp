#include <cstdlib>
#include <fmt/format.h>
#include <sstream>

#include "cases/device/support.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_device::count_not_cached_before_init {
namespace {

/// Counts in a fresh process, with other devices visible each time, and once more when a
/// device has been used. Prints the counts.
int count_in_turn(harness::Context& context) {
  const std::string variable(context.driver().visible_devices_variable());
  const char* const given = std::getenv(variable.c_str());
  const std::string text = given == nullptr ? "0" : given;
  const std::string one = text.substr(0, text.find(','));
  runtime::Devices devices(context.driver());
  const auto count_with = [&](const std::string& visible) {
    ::setenv(variable.c_str(), visible.c_str(), 1);
    return devices.count();
  };
  const int all = devices.count();
  const int of_one = count_with(one);
  const int of_none = count_with("");
  static_cast<void>(count_with(one));
  // The device that is visible now is the first one, whichever was the case's.
  const auto device = context.driver().open(0).value();
  runtime::Runtime runtime(*device);
  runtime::Buffer<float> tensor(runtime, 10, runtime.current_stream());
  tensor::ops::fill(runtime, tensor.data(), tensor.size(), 1.0F, runtime.current_stream());
  const float value = read_one(runtime, tensor.data(), runtime.current_stream());
  static_cast<void>(devices.count());
  fmt::print("{} {} {} {} {}", all, of_one, of_none, count_with(""), value);
  return 0;
}

struct Counts {
  int all = -1;
  int of_one = -1;
  int of_none = -1;
  int when_used = -1;
  int value = -1;
};

/// What the child printed; -1 for what it did not.
Counts counts_of(const harness::ChildResult& child) {
  Counts counts;
  std::istringstream words(child.output);
  words >> counts.all >> counts.of_one >> counts.of_none >> counts.when_used >> counts.value;
  return counts;
}

void run(harness::Context& context) {
  const harness::ChildResult child = context.run_child("count_in_turn", std::chrono::seconds(20));
  const Counts counts = counts_of(child);
  context.observe("error", harness::Value(child.error_output));
  context.observe("all_are_the_drivers", counts.all == context.driver().device_count().value());
  context.observe("with_one_visible", counts.of_one);
  context.observe("with_none_visible", counts.of_none);
  context.observe("with_none_visible_after_the_first_use", counts.when_used);
  context.observe("value", counts.value);
}

}  // namespace

harness::Case define() {
  return {
      .name = "device.count_not_cached_before_init",
      .summary = "Devices are counted anew until one is used: hiding some changes the count before, not afterwards",
      .source = "test_cuda.py::TestCuda::test_device_count_not_cached_pre_init",
      .needs = {.any_device = true, .own_process = true},
      .faults = {{.name = "eager_initialisation",
                  .summary = "the driver is initialised at start-up",
                  .plan = fault::broken(fault::Operation::initialize, fault::Effect::eager, fault::nth_call(1))},
                 {.name = "allocation_fails",
                  .summary = "the device that was counted has no memory",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "lost_kernel",
                  .summary = "the values are never written",
                  .plan = fault::kernel_lost(fault::nth_call(1))}},
      .deadline = std::chrono::seconds(30),
      .run = run,
      .children = {{"count_in_turn", count_in_turn}},
  };
}

}  // namespace gpucheck::cases::in_device::count_not_cached_before_init
