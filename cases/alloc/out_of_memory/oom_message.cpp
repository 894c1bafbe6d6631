#include <algorithm>

#include "base/text/units.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_alloc::oom_message {
namespace {

using namespace literals;

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  runtime::DeviceAllocator& allocator = runtime.allocator();
  const device::Stream stream = runtime.current_stream();
  const std::int64_t ooms_before = allocator.stats().num_ooms;

  runtime::Buffer<float> tensor(runtime, 1024, stream);
  tensor::ops::fill(runtime, tensor.data(), tensor.size(), 0.0F, stream);
  const auto allocate = [&](std::uint64_t bytes) {
    return error_text<Error>([&] { allocator.free(allocator.allocate(bytes, stream)); });
  };
  context.observe("too_large_error", allocate(800000000_GiB));
  context.observe("beyond_one_exabyte_error", allocate(8000000000_GiB));
  context.observe("num_ooms", allocator.stats().num_ooms - ooms_before);

  // The errors must not have spoilt the context: memory from before still works.
  tensor::ops::fill(runtime, tensor.data(), tensor.size(), 1.0F, stream);
  const std::vector<float> values = read(runtime, tensor.data(), tensor.size(), stream);
  context.observe("ones_after_errors", std::int64_t{std::count(values.begin(), values.end(), 1.0F)});
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.oom_message",
      .summary = "Running out of memory says how much was asked of how much, and leaves the device usable",
      .source = "test_cuda.py::TestCuda::test_out_of_memory",
      .faults = {{.name = "wrong_code",
                  .summary = "the device fails an allocation with another code than out of memory",
                  .plan =
                      fault::failing(fault::Operation::allocate, device::Status::launch_failure, fault::from_call(2))},
                 {.name = "memory_info_lost",
                  .summary = "the device cannot say how much memory is free",
                  .plan = fault::memory_info_fails(fault::every_call)},
                 {.name = "fill_lost_after_error",
                  .summary = "kernels no longer run after the error",
                  .plan = fault::kernel_lost(fault::from_call(2))},
                 {.name = "flipped_bit",
                  .summary = "one bit flips in memory that was written after the error",
                  .plan = fault::kernel_flips_bit(fault::nth_call(2))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::oom_message
