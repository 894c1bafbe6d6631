#include "cases/assert/support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_assert::index_out_of_bounds {
namespace {

/// arange(10)[position], looked up on the device.
std::int64_t element_at(harness::Context& context, std::int64_t position) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<std::int64_t> range(runtime, 10, stream);
  runtime::Buffer<std::int64_t> positions(runtime, 1, stream);
  runtime::Buffer<std::int64_t> element(runtime, 1, stream);
  tensor::ops::iota(runtime, range.data(), range.size(), std::int64_t{0}, stream);
  write(runtime, positions.data(), {position}, stream);
  tensor::ops::index(runtime, range.data(), range.size(), 1, positions.data(), 1, element.data(), stream);
  return read_one(runtime, element.data(), stream);
}

int index_11(harness::Context& context) {
  static_cast<void>(element_at(context, 11));
  return 0;
}

void run(harness::Context& context) {
  context.observe("element_at_1", element_at(context, 1));
  context.observe("element_at_minus_1", element_at(context, -1));
  observe_child(context, "index_11", context.run_child("index_11", std::chrono::seconds(15)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "assert.index_out_of_bounds",
      .summary = "An index outside the tensor is a device-side assert, one inside gives its element",
      .source = "test_cuda.py::TestCuda::test_index_out_of_bounds_exception_cuda",
      .needs = needs_of_asserts(),
      .faults = {{.name = "lookup_lost",
                  .summary = "the kernel that looks the element up is never launched",
                  .plan = fault::kernel_lost(fault::nth_call(2))},
                 {.name = "error_swallowed",
                  .summary = "every call reports success after an assert",
                  .plan = fault::sticky_errors_hidden()},
                 {.name = "flipped_bit",
                  .summary = "one bit of the second element flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(4))}},
      .deadline = std::chrono::seconds(60),
      .run = run,
      .children = {{"index_11", index_11}},
  };
}

}  // namespace gpucheck::cases::in_assert::index_out_of_bounds
