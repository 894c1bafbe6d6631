#include <complex>

#include "cases/assert/support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/ops.hpp"

namespace gpucheck::cases::in_assert::assert_async {
namespace {

using Complex = std::complex<float>;

/// Asserts on a tensor with these values and waits for the device's answer.
template <typename T>
void assert_on(harness::Context& context, const std::vector<T>& values) {
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<T> tensor(runtime, values.size(), stream);
  if (!values.empty()) write(runtime, tensor.data(), values, stream);
  tensor::ops::assert_async(runtime, tensor.data(), values.size(), stream);
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
}

// std::vector<bool> is not an array of bool: this one goes by way of bytes.
void assert_on_bool(harness::Context& context, bool value) {
  static_assert(sizeof(bool) == 1);
  runtime::Runtime& runtime = context.runtime();
  const device::Stream stream = runtime.current_stream();
  runtime::Buffer<std::uint8_t> tensor(runtime, 1, stream);
  write(runtime, tensor.data(), {static_cast<std::uint8_t>(value)}, stream);
  tensor::ops::assert_async(runtime, reinterpret_cast<const bool*>(tensor.data()), 1, stream);
  device::check(runtime.device(), runtime.device().synchronize(), "synchronize");
}

// Returning 0 means that the assert let a zero pass; the error ends the process with 1.
int zero_int(harness::Context& context) {
  assert_on<std::int64_t>(context, {0});
  return 0;
}
int zero_float(harness::Context& context) {
  assert_on<float>(context, {0.0F});
  return 0;
}
int zero_bool(harness::Context& context) {
  assert_on_bool(context, false);
  return 0;
}
int zero_complex(harness::Context& context) {
  assert_on<Complex>(context, {Complex(0, 0)});
  return 0;
}

void run(harness::Context& context) {
  context.observe("empty_error", error_text<Error>([&] { assert_on<float>(context, {}); }));
  context.observe("two_elements_error", error_text<Error>([&] { assert_on<std::int64_t>(context, {0, 0}); }));

  const std::vector<std::string> errors{
      error_text<Error>([&] { assert_on<std::int64_t>(context, {1}); }),
      error_text<Error>([&] { assert_on<float>(context, {0.1F}); }),
      error_text<Error>([&] { assert_on<float>(context, {-0.1F}); }),
      error_text<Error>([&] { assert_on_bool(context, true); }),
      error_text<Error>([&] { assert_on<Complex>(context, {Complex(0, 0.1F)}); }),
  };
  context.observe("errors_on_nonzero", errors);

  for (const char* name : {"zero_int", "zero_float", "false", "zero_complex"}) {
    observe_child(context, name, context.run_child(name, std::chrono::seconds(15)));
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "assert.assert_async",
      .summary = "The asynchronous assert passes what is not zero and stops the process on what is",
      .source = "test_cuda.py::TestCuda::test_fixed_cuda_assert_async",
      .needs = needs_of_asserts(),
      .faults = {{.name = "assert_never_runs",
                  .summary = "the kernel with the assert is never launched",
                  .plan = fault::kernel_lost(fault::every_call)},
                 {.name = "error_swallowed",
                  .summary = "every call reports success after an assert",
                  .plan = fault::sticky_errors_hidden()},
                 {.name = "flipped_bit",
                  .summary = "one bit of the value flips on its way to the device, so that a zero is none there",
                  .plan = fault::copy_flips_bit(fault::nth_call(1))},
                 {.name = "lost_value",
                  .summary = "the first value never arrives, so that the zero before it is still there",
                  .plan = fault::copy_lost(fault::nth_call(2))},
                 {.name = "copy_fails",
                  .summary = "the device fails to copy the first value",
                  .plan = fault::failing(fault::Operation::copy, device::Status::unknown, fault::nth_call(1))}},
      .deadline = std::chrono::seconds(60),
      .run = run,
      .children = {{"zero_int", zero_int},
                   {"zero_float", zero_float},
                   {"false", zero_bool},
                   {"zero_complex", zero_complex}},
  };
}

}  // namespace gpucheck::cases::in_assert::assert_async
