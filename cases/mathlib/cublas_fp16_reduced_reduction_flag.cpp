#include "cases/shared/mathlib_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_mathlib::cublas_fp16_reduced_reduction_flag {
namespace {

/// What each way to ask for the setting says.
bool all_say(bool allowed) {
  return tensor::allow_fp16_reduced_precision_reduction() == allowed &&
         tensor::matmul_settings().allow_fp16_reduced_precision_reduction == allowed;
}

void run(harness::Context& context) {
  const MatmulSettingsScope settings;
  const bool first = tensor::allow_fp16_reduced_precision_reduction();
  const bool other = tensor::allow_bf16_reduced_precision_reduction();
  context.observe("allowed_at_first", first);
  context.observe("agree_at_first", all_say(first));
  tensor::set_allow_fp16_reduced_precision_reduction(!first);
  context.observe("agree_after_the_change", all_say(!first));
  context.observe("changes_the_other_type", tensor::allow_bf16_reduced_precision_reduction() != other);
  context.observe("wrong_elements_after_the_change", wrong_elements_of_ones(context, DType::float16));
  tensor::set_allow_fp16_reduced_precision_reduction(first);
  context.observe("agree_at_the_end", all_say(first));
}

}  // namespace

harness::Case define() {
  return {
      .name = "mathlib.cublas_fp16_reduced_reduction_flag",
      .summary = "Whether sums of float16 may be rounded on the way reads back the same from every place",
      .source = "test_cuda.py::TestCuda::test_cublas_allow_fp16_reduced_precision_reduction_get_set",
      .faults = {{.name = "flipped_bit",
                  .summary = "the product has a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_mathlib::cublas_fp16_reduced_reduction_flag
