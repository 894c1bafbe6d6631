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
  // What is not computed has no right element.
  std::array<std::int64_t, 2> wrong{size * size, size * size};
  for (std::size_t self = 0; self < 2; ++self) {
    for (std::size_t left = 0; left < 2; ++left) {
      for (std::size_t right = 0; right < 2; ++right) {
        tensor::Tensor sum;
        const std::string error =
            error_of(device, [&] { return sum = tensor::addmm(ones[self], ones[left], ones[right]); });
        context.observe("addmm_" + places[self] + places[left] + places[right] + "_error", error);
        if (self != left || left != right || !error.empty()) continue;
        wrong[self] = in_mathlib::elements_unlike(sum, static_cast<double>(size + 1));
      }
    }
  }
  context.observe("wrong_elements_on_the_host", wrong[0]);
  context.observe("wrong_elements_on_the_device", wrong[1]);
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
