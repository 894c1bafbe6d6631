#include "cases/shared/mathlib_support.hpp"
#include "device/fault/common_plans.hpp"
#include "harness/case/case.hpp"

namespace gpucheck::cases::in_mathlib::cudnn_allow_tf32_scope {
namespace {

/// Whether all settings but TF32 are the same.
bool others_are(const tensor::CudnnSettings& expected) {
  tensor::CudnnSettings found = tensor::cudnn_settings();
  found.allow_tf32 = expected.allow_tf32;
  return found == expected;
}

void run(harness::Context& context) {
  const tensor::CudnnSettings before = tensor::cudnn_settings();
  context.observe("allowed_at_first", before.allow_tf32);
  for (const bool allowed : {false, true}) {
    const tensor::CudnnScope scope({.allow_tf32 = allowed});
    const std::string where = allowed ? "where_it_is_allowed" : "where_it_is_not";
    context.observe("allowed_" + where, tensor::cudnn_settings().allow_tf32);
    context.observe("others_unchanged_" + where, others_are(before));
  }
  {
    const tensor::CudnnScope outer({.benchmark = !before.benchmark, .allow_tf32 = false});
    const tensor::CudnnScope inner(tensor::CudnnChanges{.allow_tf32 = true});
    context.observe("benchmark_changed_in_the_inner_scope", tensor::cudnn_settings().benchmark != before.benchmark);
  }
  context.observe("restored", tensor::cudnn_settings() == before);
  // Settings of this library are not those of products.
  const tensor::CudnnScope scope({.allow_tf32 = true});
  context.observe("wrong_elements_of_a_product", wrong_elements_of_ones(context, DType::float32));
}

}  // namespace

harness::Case define() {
  return {
      .name = "mathlib.cudnn_allow_tf32_scope",
      .summary = "Settings of cuDNN that a scope changes hold inside it, and are as before after it",
      .source = "test_cuda.py::TestCuda::test_cudnn_allow_tf32_get_set",
      .faults = {{.name = "flipped_bit",
                  .summary = "the product has a wrong element",
                  .plan = fault::product_flips_bit(fault::every_call)}},
      .run = run,
  };
}

}  // namespace gpucheck::cases::in_mathlib::cudnn_allow_tf32_scope
