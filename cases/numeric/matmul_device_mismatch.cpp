#include <array>
#include <functional>
#include <string>

#include "cases/shared/mathlib_support.hpp"
#include "cases/support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/products/products.hpp"

namespace gpucheck::cases::in_numeric::matmul_device_mismatch {
namespace {

constexpr std::int64_t size = 10;

/// The error of a product, with the number 0 for any device's.
std::string error_of(const tensor::Device& device, const std::function<tensor::Tensor()>& product) {
  std::string text = error_text<Error>([&] { static_cast<void>(product()); });
  const std::string name = device.text();
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at)
    text.replace(at, name.size(), "cuda:0");
  return text;
}

void run(harness::Context& context) {
  const tensor::Device device = context.runtime();
  const std::array ones{tensor::ones({size, size}), tensor::ones({size, size}, DType::float32, device)};
  context.observe("host_by_device_error", error_of(device, [&] { return tensor::matmul(ones[0], ones[1]); }));
  context.observe("device_by_host_error", error_of(device, [&] { return tensor::matmul(ones[1], ones[0]); }));
  const std::array<std::string, 2> places{"h", "d"};
  for (std::size_t self = 0; self < 2; ++self) {
    for (std::size_t left = 0; left < 2; ++left) {
      for (std::size_t right = 0; right < 2; ++right) {
        const std::string label = "addmm_" + places[self] + places[left] + places[right];
        context.observe(label + "_error",
                        error_of(device, [&] { return tensor::addmm(ones[self], ones[left], ones[right]); }));
      }
    }
  }
  for (const std::size_t place : {0U, 1U}) {
    const tensor::Tensor sum = tensor::addmm(ones[place], ones[place], ones[place]);
    context.observe(std::string("wrong_elements_on_the_") + (place == 0 ? "host" : "device"),
                    in_mathlib::elements_unlike(sum, static_cast<double>(size + 1)));
  }
}

}  // namespace

harness::Case define() {
  return {
      .name = "numeric.matmul_device_mismatch",
      .summary = "Products of matrices of which one is on the host and one on the device are refused, whichever it is",
      .source = "test_cuda.py::TestCuda::test_matmul_device_mismatch",
      .faults = {{.name = "no_product",
                  .summary = "no product is done",
                  .plan = fault::product_lost(fault::every_call)},
                 {.name = "flipped_bit",
                  .summary = "the products have a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_numeric::matmul_device_mismatch
