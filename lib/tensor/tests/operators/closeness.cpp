#include "closeness.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "tensor/core/elements.hpp"
#include "tensor/operators/copies/copies.hpp"

namespace gpucheck::tensor::test {
namespace {

namespace kernels = device::kernels;
using Parts = kernels::Complex<double>;

int digits_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 11;
    case DType::bfloat16:
      return 8;
    case DType::float32:
    case DType::complex64:
      return std::numeric_limits<float>::digits;
    default:
      return std::numeric_limits<double>::digits;
  }
}

/// One unit in the last place of a number.
double unit_of(double number, DType dtype) {
  int exponent = 0;
  static_cast<void>(std::frexp(number, &exponent));
  return std::ldexp(1.0, exponent - digits_of(dtype));
}

bool is_close(double found, double expected, double most, bool zero_of_any_sign) {
  if (std::isnan(expected)) return std::isnan(found);
  if (found == expected) return std::signbit(found) == std::signbit(expected) || most > 0 || zero_of_any_sign;
  return std::isfinite(expected) && std::abs(found - expected) <= most;
}

}  // namespace

Tolerance tolerance_of(std::string_view operator_name) {
  struct Row {
    std::string_view name;
    Tolerance tolerance;
  };
  static constexpr Row rows[]{
      // Adding up the 67 terms of the longest sample in another order moves the sum by about half the root of 67 units.
      {"_log_softmax", {.units = 8, .at_least = 4, .depends_on_order = true}},
      {"_softmax", {.units = 8, .depends_on_order = true}},
      {"abs", {.complex_units = 4}},
      {"acos", {3}},
      {"asin", {3}},
      {"atan", {3}},
      {"atan2", {4}},
      {"cos", {3}},
      {"cosh", {3}},
      {"cumprod", {.zero_of_any_sign = true}},  // of complex numbers
      {"div", {.complex_units = 4}},
      {"erf", {3}},
      {"erfinv", {6}},
      {"exp", {2, 0, 6}},
      {"exp2", {3}},
      {"expm1", {2}},
      {"gelu", {4, 4}},
      {"log", {2, 0, 6}},
      {"log10", {3}},
      {"log_softmax", {.units = 8, .at_least = 4, .depends_on_order = true}},
      {"logsumexp", {.units = 8, .at_least = 4, .complex_units = 8, .depends_on_order = true}},
      {"log1p", {2}},
      {"log2", {2}},
      {"pow", {5, 0, 64}},
      {"prod", {.zero_of_any_sign = true}},  // of complex numbers
      {"reciprocal", {.complex_units = 4}},
      {"rsqrt", {3, 0, 12}},
      {"sigmoid", {4, 0, 12}},
      {"silu", {4}},
      {"sin", {3}},
      {"sinh", {4}},
      {"softmax", {.units = 8, .depends_on_order = true}},
      {"softplus", {5}},
      {"sqrt", {.complex_units = 8}},
      {"std", {.units = 8, .depends_on_order = true}},
      {"tan", {5}},
      {"tanh", {3}},
      // Means and squares of at most 1005 elements, brought together in another order.
      {"var", {.units = 8, .depends_on_order = true}},
  };
  const auto* const row = std::ranges::find(rows, operator_name, &Row::name);
  return row == std::end(rows) ? Tolerance{} : row->tolerance;
}

std::string difference_of(const Tensor& found, const Tensor& expected, const Tolerance& tolerance) {
  const Tensor a = contiguous(to(found, host));
  const Tensor b = contiguous(to(expected, host));
  const DType dtype = expected.dtype();
  const auto* left = a.data_as<const std::byte>();
  const auto* right = b.data_as<const std::byte>();
  for (std::int64_t i = 0; i < b.count(); ++i, left += element_bytes(dtype), right += element_bytes(dtype)) {
    if (is_integral(dtype, true)) {
      const auto one = kernels::load_as<std::int64_t>(left, dtype);
      const auto other = kernels::load_as<std::int64_t>(right, dtype);
      if (one != other) return fmt::format("element {} is {}, not {}", i, one, other);
      continue;
    }
    const auto one = kernels::load_as<Parts>(left, dtype);
    const auto other = kernels::load_as<Parts>(right, dtype);
    const double size = std::max({std::abs(other.real), std::abs(other.imaginary), tolerance.at_least});
    const double units = is_complex(dtype) ? tolerance.complex_units : tolerance.units;
    const double most = units > 0 && std::isfinite(size) ? units * unit_of(size, dtype) : 0;
    const auto close = [&](double a, double b) { return is_close(a, b, most, tolerance.zero_of_any_sign); };
    if (!close(one.real, other.real) || !close(one.imaginary, other.imaginary)) {
      return fmt::format("element {} is {}{:+}j, not {}{:+}j", i, one.real, one.imaginary, other.real, other.imaginary);
    }
  }
  return {};
}

}  // namespace gpucheck::tensor::test
