#include <cstdlib>
#include <string>
#include <string_view>

#include "cases/shared/mathlib_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_mathlib::float32_matmul_precision {
namespace {

std::string current() { return std::string(to_text(tensor::float32_matmul_precision())); }

void run(harness::Context& context) {
  const MatmulSettingsScope settings;
  const char* const override_text = std::getenv("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE");  // NOLINT(concurrency-mt-unsafe)
  const bool is_overridden = override_text != nullptr && std::string_view(override_text) == "1";
  const std::string first = current();
  context.observe("first_is_unlike_the_environment", first != (is_overridden ? "high" : "highest"));
  context.observe("tf32_is_unlike_the_environment", tensor::allow_tf32() != is_overridden);
  std::int64_t wrong = 0;
  for (const std::string precision : {"medium", "high", "highest"}) {
    tensor::set_float32_matmul_precision(tensor::parse_matmul_precision(precision).value());
    context.observe("read_back_after_" + precision, current());
    context.observe("tf32_allowed_after_" + precision, tensor::allow_tf32());
    wrong += wrong_elements_of_ones(context, DType::float32);
  }
  context.observe("wrong_elements", wrong);
  context.observe("knows_another_precision", tensor::parse_matmul_precision("fastest").has_value());
  tensor::set_float32_matmul_precision(tensor::MatmulPrecision::medium);
  tensor::set_matmul_settings(settings.before());
  context.observe("is_another_at_the_end", current() != first);
}

}  // namespace

harness::Case define() {
  return {
      .name = "mathlib.float32_matmul_precision",
      .summary = "The precision of float32 products reads back, and says whether they may be rounded to TF32",
      .source = "test_cuda.py::TestCuda::test_float32_matmul_precision_get_set",
      .faults = {{.name = "flipped_bit",
                  .summary = "the products have a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_mathlib::float32_matmul_precision
