#include "cases/numeric/support.hpp"

namespace gpucheck::cases::in_numeric::type_conversions {
namespace {

/// What each step of float, double on the device, back, and whole numbers on the host gives.
std::vector<std::string> chain(const Tensor& x, Device device) {
  const Tensor on_device = tensor::to(x, device);
  return {type_and_place(tensor::to(x, DType::float32)),
          type_and_place(tensor::to(tensor::to(x, DType::float64), device)),
          type_and_place(tensor::to(on_device, DType::float32)),
          type_and_place(tensor::to(tensor::to(on_device, DType::float32), tensor::host)),
          type_and_place(tensor::to(tensor::to(tensor::to(on_device, DType::float32), tensor::host), DType::int32))};
}

void run(harness::Context& context) {
  const Device device = context.runtime();
  const Tensor x = tensor::mul(tensor::randn({5, 5}), 100);
  context.observe("tensor_types", chain(x, device));
  // All of the storage's elements, which need not be those of the tensor.
  const Tensor storage(x.storage(), x.dtype(), {{25}, {1}, 0});
  context.observe("storage_types", chain(storage, device));
  const Tensor there = tensor::to(tensor::to(x, device), DType::float64);
  context.observe("values_changed_by_moving",
                  differing(tensor::to(tensor::to(there, DType::float32), tensor::host), x));
  const Tensor whole = tensor::to(tensor::to(x, device), DType::int32);
  context.observe("wrong_whole_numbers", differing(whole, tensor::to(x, DType::int32)));
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.type_conversions",
      .summary =
          "A tensor that is converted and moved has the type, the place and the values that were asked for, and so has "
          "its storage",
      .source = "test_cuda.py::TestCuda::test_type_conversions",
      .faults = {{.name = "lost_copy",
                  .summary = "a copy to the device is never made",
                  .plan = fault::copy_lost(fault::from_call(1))},
                 {.name = "lost_conversion",
                  .summary = "no conversion on the device is made",
                  .plan = fault::kernel_lost(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::type_conversions
