#include "tensor/operators/reductions/support.hpp"

#include <array>
#include <fmt/format.h>

#include "tensor/core/errors.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::tensor::operators::in_reductions {
namespace {

/// What C++ calls an element, as PyTorch writes it in the one text where it does.
std::string_view name_in_cpp(DType dtype) {
  constexpr std::array<std::string_view, dtype_count> names{"unsigned char",
                                                            "signed char",
                                                            "short int",
                                                            "int",
                                                            "long int",
                                                            "c10::Half",
                                                            "float",
                                                            "double",
                                                            "c10::complex<float>",
                                                            "c10::complex<double>",
                                                            "bool",
                                                            "c10::BFloat16"};
  return names[static_cast<std::size_t>(dtype)];
}

}  // namespace

DType accumulated_dtype(const Destination& destination, const Tensor& self, std::optional<DType> dtype) {
  if (dtype) return *dtype;
  if (destination.tensor.defined()) return destination.tensor.dtype();
  return is_integral(self.dtype(), true) ? DType::int64 : self.dtype();
}

DType real_of(DType dtype) noexcept {
  if (!is_complex(dtype)) return dtype;
  return dtype == DType::complex64 ? DType::float32 : DType::float64;
}

Tensor converted(const Tensor& self, DType dtype) {
  // A number that is computed with is what an element is loaded as; whole numbers may be cut to their type at the end.
  const bool is_computed_in =
      dtype == DType::float32 || dtype == DType::float64 || dtype == DType::int64 || is_complex(dtype);
  const bool wraps = is_integral(self.dtype(), true) && is_integral(dtype);
  return is_computed_in || wraps ? self : to(self, dtype);
}

void require_dtype_of_out(const Destination& destination, DType dtype) {
  if (!destination.tensor.defined() || destination.tensor.dtype() == dtype) return;
  throw Error(fmt::format("Expected out tensor to have dtype {}, but got {} instead", name_in_cpp(dtype),
                          name_in_cpp(destination.tensor.dtype())));
}

void require_elements(const Tensor& self, std::int64_t dimension, std::string_view name) {
  const auto place = static_cast<std::size_t>(wrap_dimension(dimension, self.rank()));
  if (self.rank() > 0 && self.sizes()[place] == 0) {
    throw IndexError(fmt::format("{}(): Expected reduction dim {} to have non-zero size.", name, place));
  }
}

void require_elements(const Tensor& self, std::string_view name) {
  if (self.count() > 0) return;
  throw Error(
      fmt::format("{}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction "
                  "dim with the 'dim' argument.",
                  name));
}

}  // namespace gpucheck::tensor::operators::in_reductions
