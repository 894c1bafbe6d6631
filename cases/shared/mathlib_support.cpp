#include "cases/shared/mathlib_support.hpp"

#include <algorithm>
#include <span>

#include "tensor/operators/copies/copies.hpp"
#include "tensor/operators/factories/factories.hpp"
#include "tensor/operators/products/products.hpp"

namespace gpucheck::cases::in_mathlib {

std::int64_t elements_unlike(const tensor::Tensor& tensor, double number) {
  const tensor::Tensor numbers = tensor::to(tensor::contiguous(tensor::to(tensor, tensor::host)), DType::float64);
  const std::span found(numbers.data_as<const double>(), static_cast<std::size_t>(numbers.count()));
  return numbers.count() - std::ranges::count(found, number);
}

std::int64_t wrong_elements_of_ones(harness::Context& context, DType dtype) {
  constexpr std::int64_t size = 64;
  const tensor::Tensor ones = tensor::ones({size, size}, dtype, context.runtime());
  return elements_unlike(tensor::mm(ones, ones), static_cast<double>(size));
}

}  // namespace gpucheck::cases::in_mathlib
