#include "cases/gemm/product_case_support.hpp"
#include "cases/gpu_faults.hpp"

namespace gpucheck::cases::in_gemm::bf16 {
namespace {

void run(harness::Context& context) { observe_products(context, types::bf16); }

}  // namespace

harness::Case define() {
  harness::Case test_case = product_case("gemm.bf16", "bf16", types::bf16, run);
  test_case.faults = with_gpu_faults(std::move(test_case.faults));
  return test_case;
}

}  // namespace gpucheck::cases::in_gemm::bf16
