#include <cstdlib>
#include <string_view>

#include "cases/shared/mathlib_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_mathlib::cublas_allow_tf32_flag {
namespace {

/// What each way to ask for the setting says.
bool all_say(bool allowed) {
  return tensor::allow_tf32() == allowed && tensor::matmul_settings().allow_tf32() == allowed &&
         (tensor::float32_matmul_precision() != tensor::MatmulPrecision::highest) == allowed;
}

void run(harness::Context& context) {
  const MatmulSettingsScope settings;
  const char* const override_text = std::getenv("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE");  // NOLINT(concurrency-mt-unsafe)
  const bool is_overridden = override_text != nullptr && std::string_view(override_text) == "1";
  const bool first = tensor::allow_tf32();
  context.observe("first_is_unlike_the_environment", first != is_overridden);
  context.observe("agree_at_first", all_say(first));
  tensor::set_allow_tf32(!first);
  context.observe("agree_after_the_change", all_say(!first));
  context.observe("wrong_elements_after_the_change", wrong_elements_of_ones(context, DType::float32));
  tensor::set_allow_tf32(first);
  context.observe("agree_at_the_end", all_say(first));
}

}  // namespace

harness::Case define() {
  return {
      .name = "mathlib.cublas_allow_tf32_flag",
      .summary = "Whether products of float32 may be rounded to TF32 reads back the same from every place",
      .source = "test_cuda.py::TestCuda::test_cublas_allow_tf32_get_set",
      .faults = {{.name = "flipped_bit",
                  .summary = "the product has a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_mathlib::cublas_allow_tf32_flag
