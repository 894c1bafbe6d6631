#include "cases/numeric/support.hpp"

#include <fmt/format.h>

namespace gpucheck::cases::in_numeric {

void need_gpu(harness::Context& context, std::string_view elements) {
  if (!context.driver().notices_races()) return;
  throw harness::Skip(fmt::format("needs a GPU: {} take minutes on a simulated device", elements));
}

double number_of(const Tensor& tensor) { return tensor::item(tensor).to_double(); }

std::string type_and_place(const Tensor& tensor) {
  return fmt::format("{} on the {}", to_text(tensor.dtype()), tensor.device().is_host() ? "host" : "device");
}

std::int64_t differing(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return std::max(a.count(), b.count());
  const Tensor other = tensor::ne(tensor::to(a, tensor::host), tensor::to(b, tensor::host));
  return tensor::item(tensor::sum(other)).to_int();
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor numbers = tensor::contiguous(tensor::to(tensor::to(tensor, tensor::host), DType::float64));
  const auto* const first = numbers.data_as<const double>();
  return {first, first + numbers.count()};
}

std::vector<harness::Fault> operator_faults(std::uint64_t lost_kernel) {
  return {{.name = "lost_kernel",
           .summary = "a kernel of the operator is never run",
           .plan = fault::kernel_lost(fault::nth_call(lost_kernel))},
          {.name = "flipped_bit",
           .summary = "one bit of what that kernel wrote flips",
           .plan = fault::kernel_flips_bit(fault::nth_call(lost_kernel))}};
}

}  // namespace gpucheck::cases::in_numeric
