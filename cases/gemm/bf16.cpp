#include "cases/gemm/product_case_support.hpp"

namespace gpucheck::cases::in_gemm::bf16 {
namespace {

void run(harness::Context& context) { observe_products(context, types::bf16); }

}  // namespace

harness::Case define() { return product_case("gemm.bf16", "bf16", types::bf16, run); }

}  // namespace gpucheck::cases::in_gemm::bf16
