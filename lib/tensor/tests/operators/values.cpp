#include "values.hpp"

#include <cmath>
#include <fmt/format.h>

#include "tensor/core/elements.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::tensor::test {
namespace {

namespace kernels = device::kernels;

template <typename Real>
std::string text_of_real(Real number, std::string_view sign) {
  if (std::isnan(number)) return fmt::format("{}nan", sign);  // whose own sign says nothing
  return fmt::format("{}{}", std::signbit(number) ? "" : sign, number);
}

template <typename Number>
std::string text_of_number(Number number) {
  if constexpr (kernels::is_short_floating<Number>) {
    return text_of_real(static_cast<float>(number), "");
  } else if constexpr (kernels::is_complex_number<Number>) {
    return text_of_real(number.real, "") + text_of_real(number.imaginary, "+") + "j";
  } else if constexpr (std::is_floating_point_v<Number>) {
    return text_of_real(number, "");
  } else {
    return fmt::format("{}", number);
  }
}

}  // namespace

Tensor vector_of(std::initializer_list<Scalar> numbers, DType dtype) {
  const Tensor vector = make_empty({static_cast<std::int64_t>(numbers.size())}, dtype, host);
  auto* element = vector.data_as<std::byte>();
  for (const Scalar& number : numbers) {
    if (number.is_complex()) {
      const auto value = number.to_complex();
      kernels::store_as(element, dtype, kernels::Complex<double>{value.real(), value.imag()});
    } else if (number.is_floating()) {
      kernels::store_as(element, dtype, number.to_double());
    } else {
      kernels::store_as(element, dtype, number.to_int());
    }
    element += element_bytes(dtype);
  }
  return vector;
}

std::string text_of(const Tensor& tensor) {
  const Tensor elements = contiguous(to(tensor, host));
  std::string text;
  kernels::with_stored_type(elements.dtype(), [&]<typename T>(std::type_identity<T>) {
    for (std::int64_t i = 0; i < elements.count(); ++i) {
      if (i > 0) text += ", ";
      text += text_of_number(elements.data_as<T>()[i]);
    }
  });
  return fmt::format("{} [{}]", to_text(elements.dtype()), text);
}

}  // namespace gpucheck::tensor::test
