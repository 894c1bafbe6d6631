#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "runtime/memory/leak_check.hpp"
#include "tensor/view_ops.hpp"

namespace gpucheck::cases::in_alloc::leak_check_propagates_error {
namespace {

using tensor::contiguous_layout;
using Tensor = runtime::Buffer<float>;

Tensor tensor(runtime::Runtime& runtime, const std::vector<float>& values) {
  Tensor result(runtime, values.size(), runtime.current_stream());
  write(runtime, result.data(), values, runtime.current_stream());
  return result;
}

/// The error of x + y, where x has 3 rows, in the scope of the leak check, with x and y
/// kept by `keeper` so that memory is still in use when the error leaves the scope.
std::string error_of_sum(runtime::Runtime& runtime, std::vector<Tensor>& keeper) {
  return error_text<Error>([&] {
    runtime::require_no_leak(runtime, [&] {
      keeper.push_back(tensor(runtime, {1, 2, 3}));
      keeper.push_back(tensor(runtime, {1, 2}));
      const auto sum = tensor::ops::add(runtime, {keeper[0].data(), contiguous_layout({3, 1})},
                                        {keeper[1].data(), contiguous_layout({2, 1})}, runtime.current_stream());
    });
  });
}

void run(harness::Context& context) {
  runtime::Runtime& runtime = context.runtime();
  {
    std::vector<Tensor> kept;
    context.observe("sum_error", error_of_sum(runtime, kept));
    context.observe("tensors_left_behind", kept.size());
  }
  // The check is awake: it reports what leaks without an error, and nothing else.
  std::vector<Tensor> leaked;
  context.observe("leak_error", error_text<Error>([&] {
                    runtime::require_no_leak(runtime, [&] { leaked.push_back(tensor(runtime, {1})); });
                  }));
  leaked.clear();
  std::vector<float> sums;
  context.observe("error_without_leak", error_text<Error>([&] {
                    runtime::require_no_leak(runtime, [&] {
                      const Tensor x = tensor(runtime, {1, 2, 3});
                      const Tensor y = tensor(runtime, {10, 20});
                      const Tensor sum = tensor::ops::add(runtime, {x.data(), contiguous_layout({3, 1})},
                                                          {y.data(), contiguous_layout({2})}, runtime.current_stream());
                      sums = read(runtime, sum.data(), sum.size(), runtime.current_stream());
                    });
                  }));
  context.observe("sums", harness::Value(std::vector<double>(sums.begin(), sums.end())));
}

}  // namespace

harness::Case define() {
  return {
      .name = "alloc.leak_check_propagates_error",
      .summary = "The scope that checks for leaked device memory lets an operation's own error through",
      .source = "test_cuda.py::TestCuda::test_cuda_memory_leak_detection_propagates_errors",
      .faults = {{.name = "out_of_memory",
                  .summary = "there is no memory for the tensors, so that the sum is never asked for",
                  .plan = fault::allocation_fails(fault::every_call)},
                 {.name = "lost_sum",
                  .summary = "the sum is never worked out",
                  .plan = fault::kernel_lost(fault::nth_call(1))},
                 {.name = "flipped_bit",
                  .summary = "one bit of the sum flips",
                  .plan = fault::kernel_flips_bit(fault::nth_call(1))},
                 {.name = "copy_fails",
                  .summary = "copying fails before the sum, with an error of its own",
                  .plan = fault::failing(fault::Operation::copy, device::Status::invalid_value, fault::nth_call(1))}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_alloc::leak_check_propagates_error
